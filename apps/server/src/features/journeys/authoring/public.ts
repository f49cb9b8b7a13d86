export { readArmAllocations } from "./allocation-store.ts";
export type { ArmAllocation } from "./arm-allocation.ts";
export { adoptJourneyEpochs, openEpoch } from "./epochs.ts";
export { type Fill, findFillsAcrossProjects, moveFill } from "./fill-store.ts";
export { eventOfSql, isInsideSql, mayEndSql, maySeeSql } from "./inside-store.ts";
export { requireJourney } from "./require-journey.ts";
export { occurrenceAfter } from "./schedule.pure.ts";
export { endRetiming } from "./store.ts";
