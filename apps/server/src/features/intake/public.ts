export { keptEventId } from "./act.ts";
