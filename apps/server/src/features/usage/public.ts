export { calendarPeriod } from "./rules.ts";
export { countActiveCtes } from "./store.ts";
