export { pushCensus } from "./census.ts";
export { convertPushesCte } from "./conversion-store.ts";
export { anonymizePushes, anonymousKeys } from "./erase-store.ts";
export { pushGates } from "./gates.ts";
export { localPushes } from "./local.ts";
export { planNow } from "./plan/plan.ts";
export { recordReceipts } from "./receipt-store.ts";
export { parseAttemptId, parseTargetId } from "./record-ids.ts";
export { sameSlot } from "./slot-store.ts";
