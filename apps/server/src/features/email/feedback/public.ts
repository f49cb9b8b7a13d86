export { eraseHits } from "./erase-store.ts";
export { hitBatch } from "./hits.ts";
export { recordReports } from "./report.ts";
