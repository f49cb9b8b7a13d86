export { type Fill, findFillsAcrossProjects, moveFill } from "./fill-store.ts";
export { isInsideSql, mayEndSql } from "./inside-store.ts";
export { requireJourney } from "./require-journey.ts";
export { occurrenceAfter } from "./schedule.pure.ts";
export { endRetiming } from "./store.ts";
