export { anonymizeObservations } from "./erase-store.ts";
