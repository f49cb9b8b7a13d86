export { moveDeliveries } from "./erase-store.ts";
export {
  type DeliveryMoment,
  lockDeliveries,
  type Moment,
  markSending,
  recordMoments,
} from "./moments-store.ts";
export { pointOf } from "./point.ts";
export { convertDeliveriesCtes, recountStats, tallyCte } from "./store.ts";
export { takeBackMoments } from "./take-back-store.ts";
