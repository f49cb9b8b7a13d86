export { applyDeltas, applyDeltasWithin, bringUpToDate, wakeAfterDelta } from "./apply-deltas.ts";
export { dropSurplusProperties } from "./apply-store.ts";
export {
  deliveryFacts,
  deltasCte,
  erasedEventFacts,
  erasedFirstFacts,
  eventFacts,
  firstEventFacts,
  forgottenEventFacts,
  retiredEventFacts,
  traitFacts,
} from "./facts.ts";
export {
  type DayCounts,
  haveOthers,
  readDays,
  readEvents,
  readTopEvents,
  readTraitKeys,
  readTraits,
  readTraitValues,
} from "./read-store.ts";
export { findUnknownTraits, readVocabulary } from "./vocabulary.ts";
