export { moveDeliveries } from "./erase-store.ts";
export { pointOf } from "./point.ts";
export { convertDeliveriesCtes, tallyCte } from "./store.ts";
