export { webCensus } from "./census.ts";
export { eraseReceipts } from "./erase-store.ts";
export { webGates } from "./gates.ts";
