export { recordEventsWithin } from "./record.ts";
