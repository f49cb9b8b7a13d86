export { countUserEvents, eraseEventPage } from "./erase-store.ts";
export { appendEventsCtes, compareEvents } from "./store.ts";
