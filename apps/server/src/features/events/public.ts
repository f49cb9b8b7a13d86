export { appendEventsCtes, compareEvents } from "./store.ts";
