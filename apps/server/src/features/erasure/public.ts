export { erase } from "./erase.ts";
export { finishErasing } from "./erase-events.ts";
export { countErasingUsers } from "./store.ts";
