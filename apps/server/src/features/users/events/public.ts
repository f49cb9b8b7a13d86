export {
  keepArrivals,
  keepFirstsForMerged,
  lockEventPage,
  moveRetired,
  requireNoEvents,
  takeEvents,
} from "./adopt-store.ts";
export { countUserEvents, eraseEventPage } from "./erase-store.ts";
export { eventsKeptFor } from "./kept-for.ts";
export { type EventRow, toEvent } from "./list-store.ts";
export { EVENT_LOOK_ALIKES, timeLookAlikes } from "./look-alikes.ts";
export { keepKnownFirsts } from "./retire-store.ts";
export { startsOf } from "./starts-store.ts";
export { appendEventsCtes, compareEvents } from "./store.ts";
