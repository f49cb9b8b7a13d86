export { countUserEvents, eraseEventPage } from "./erase-store.ts";
export { retireOldEvents } from "./retire.ts";
export { appendEventsCtes, compareEvents } from "./store.ts";
