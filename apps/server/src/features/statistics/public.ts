export { ALPHA } from "./compare.pure.ts";
export { holdoutOf } from "./holdout.pure.ts";
export { mostWeighted, planFor } from "./plan.pure.ts";
export { isSplitBroken, statisticsOf } from "./statistics.ts";
