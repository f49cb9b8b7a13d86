export { adoptDeliveries, wasMet } from "./adopt-store.ts";
export {
  censusFrom,
  countVisitors,
  drawKeySql,
  joiningByHash,
  pagesByHash,
  variantIndexSql,
} from "./census/audience-store.ts";
export {
  type Bucket,
  type BucketRow,
  type Census,
  type CensusMessages,
  type CensusQuestion,
  countsOf,
  type Later,
  NO_LATER,
  tally,
} from "./census/census.ts";
export { countDecided, isUndecided } from "./census/decided-store.ts";
export { GAP_COLUMNS, gapAggregates, gapBits, gapColumns, readGapCounts } from "./census/gaps-store.ts";
export { recountStats, tallyCte } from "./counters-store.ts";
export { anonymizeDecidedAs, moveDeliveries } from "./erase-store.ts";
export { isHeldOut } from "./gates/holdout.ts";
export { findHad } from "./had-store.ts";
export {
  DELIVERY_COLUMNS,
  type DeliveryColumn,
  type DeliveryRow,
  deliveryKey,
  deliveryRow,
  isCampaignOf,
  isDelivery,
  KEY_COLUMNS,
  keyOfRow,
  lockedInOrder,
  onDelivery,
  onFirstOccasion,
  sameCampaign,
  sameDelivery,
  withheldKey,
} from "./key-store.ts";
export { afterMessages, followMessages } from "./left.ts";
export { revertHits } from "./lifecycle/revert-store.ts";
export {
  convertDeliveriesCtes,
  DECISION_COLUMNS,
  type DeliveryReport,
  type LockedDeliveries,
  lifecycleCtes,
  lockDeliveries,
  markSending,
  newDeliveriesCte,
  recordDeliveryEvents,
} from "./lifecycle/store.ts";
export { forgetEarlyDraws } from "./results/early-draws-store.ts";
export { drawKeyOf, drawVariant, pointOf } from "./results/point.ts";
export { readResultDays } from "./results/results.ts";
export {
  attributionDaysOf,
  countMatured,
  hasBrokenSplit,
  minimumLiftOf,
  readJudged,
  readRestarts,
  readSetting,
  readStatistics,
} from "./results/statistics.ts";
export {
  type ConversionCriteria,
  countOutcomes,
  listSplitting,
  readAllocations,
} from "./results/statistics-store.ts";
export type { StepPlan, StepUser } from "./step-plan.ts";
export { readSubject } from "./subject-store.ts";
export { type AudiencePage, CANDIDATE, pageIn, readPage } from "./sweep/page.ts";
export { noVariant } from "./sweep/plan-fault.ts";
export {
  NO_USERS,
  type Sweeper,
  type Swept,
  sweepLoop,
  sweepNow,
} from "./sweep/sweep.ts";
export {
  closeSweep,
  countFaultsAcrossProjects,
  findEndedSweepsAcrossProjects,
  listFaults,
  moveReevaluation,
  type Sweep,
  setSendingFault,
  sweepSoon,
} from "./sweep/sweep-store.ts";
