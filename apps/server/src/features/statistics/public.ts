export { ALPHA } from "./compare.pure.ts";
export { holdoutOf } from "./holdout.pure.ts";
export { mostWeighted, planFor } from "./plan.pure.ts";
export { statisticsOf } from "./statistics.ts";
