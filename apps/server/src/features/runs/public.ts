export { logRun } from "./log-run.ts";
export { findRun, hasRun } from "./store.ts";
