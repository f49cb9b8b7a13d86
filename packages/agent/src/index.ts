export { canonicalHash } from "./canonical.ts";
export type { Agent, Evaluated } from "./evaluate.ts";
export { lookAfter, type Watcher } from "./look-after.ts";
export { allocate, statistical1 } from "./policies/statistical-1.ts";
export type { Policy } from "./policy.ts";
export { replay } from "./replay.ts";
export { patientFetch } from "./send.ts";
