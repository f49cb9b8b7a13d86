export { recordEvent, recordEventsWithin, tooManyNames } from "./record.ts";
export { isServerEvent } from "./server-events.ts";
