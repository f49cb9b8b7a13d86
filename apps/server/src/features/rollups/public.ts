export {
  deliveryFacts,
  erasedEventFacts,
  erasedFirstFacts,
  eventFacts,
  firstEventFacts,
  noteFactsCte,
  traitFacts,
} from "./facts.ts";
export { foldNotes, noted } from "./fold.ts";
export { type DayCounts, readDays, readEvents, readTopEvents, readTraits } from "./read-store.ts";
export { readVocabulary } from "./vocabulary.ts";
