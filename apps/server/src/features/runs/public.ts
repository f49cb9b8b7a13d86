export { logRun } from "./log-run.ts";
export { resolveRun } from "./resolve-run.ts";
export { findRun, listRuns, type RunFilter, toRun } from "./store.ts";
export { findTranscript } from "./transcripts/transcript-store.ts";
export { isNoWordOfAKey } from "./writers-store.ts";
