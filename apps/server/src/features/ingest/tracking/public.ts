export { bringEvents, findBroughtEvents } from "./bring-events.ts";
export { EVENT_ID_CONFLICT, recordEvent, recordEventsWithin, tooManyNames } from "./record.ts";
export { isServerEvent } from "./server-events.ts";
export { convertByPastEvents, type NewEvent } from "./store.ts";
