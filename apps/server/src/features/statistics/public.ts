export { holdoutOf } from "./holdout.pure.ts";
export { statisticsOf } from "./statistics.ts";
