export { applyDeltas, applyDeltasWithin, bringUpToDate, wakeAfterDelta } from "./apply-deltas.ts";
export { dropSurplusProperties, recountUsers } from "./apply-store.ts";
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
  userFacts,
  userKindSql,
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
  readUserCounts,
} from "./read-store.ts";
export { findUnknownTraits, readVocabulary } from "./vocabulary.ts";
