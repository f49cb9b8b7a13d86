export { recentlyActive } from "./recently-active.ts";
export { calendarPeriod } from "./rules.ts";
export { countActiveCtes, moveActiveUser } from "./store.ts";
