export { ALPHA } from "./compare.pure.ts";
export { holdoutOf } from "./holdout.pure.ts";
export { mostWeighted, planFor } from "./plan.pure.ts";
export { restartsOf, type Setting } from "./restarts.pure.ts";
export { earlierTextsOf, isSplitBroken, type Judged, judgedOf, statisticsOf } from "./statistics.ts";
