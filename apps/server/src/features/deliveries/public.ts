export { pointOf } from "./point.ts";
export { convertDeliveriesCtes, tallyCte } from "./store.ts";
