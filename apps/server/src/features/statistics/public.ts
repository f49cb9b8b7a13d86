export { ALPHA } from "./compare.pure.ts";
export { holdoutOf } from "./holdout.pure.ts";
export { mostWeighted, planFor } from "./plan.pure.ts";
export { type CampaignVariants, restartsOf } from "./restarts.pure.ts";
export {
  earlierTextsOf,
  isSplitBroken,
  type Judged,
  judgedOf,
  type StatisticsInput,
  statisticsOf,
} from "./statistics.ts";
