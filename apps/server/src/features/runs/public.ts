export { logRun } from "./log-run.ts";
export { resolveRun } from "./resolve-run.ts";
export { findRun } from "./store.ts";
