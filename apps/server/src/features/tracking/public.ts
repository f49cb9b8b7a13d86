export { recordEventsWithin } from "./record.ts";
export { isServerEvent } from "./server-events.ts";
