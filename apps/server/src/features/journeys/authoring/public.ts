export { requireJourney } from "./require-journey.ts";
export { endRetiming } from "./store.ts";
