export { activePeriods, activePeriodsByProject, type PeriodOf, servingOf } from "./gate.ts";
export { recentlyActive } from "./recently-active.ts";
export { countActive, countActiveCtes, moveActiveUser, recountActiveUsers } from "./store.ts";
