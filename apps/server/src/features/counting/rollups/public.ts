export {
  deliveryFacts,
  erasedEventFacts,
  erasedFirstFacts,
  eventFacts,
  firstEventFacts,
  forgottenEventFacts,
  noteFactsCte,
  retiredEventFacts,
  traitFacts,
} from "./facts.ts";
export { bringUpToDate, foldNotes, foldNotesWithin, noted } from "./fold.ts";
export { dropSurplusProperties } from "./fold-store.ts";
export { type DayCounts, haveOthers, readDays, readEvents, readTopEvents, readTraits } from "./read-store.ts";
export { findUnknownTraits, readVocabulary } from "./vocabulary.ts";
