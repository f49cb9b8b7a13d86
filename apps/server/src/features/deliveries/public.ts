export { recountStats, tallyCte } from "./counters-store.ts";
export { moveDeliveries } from "./erase-store.ts";
export { revertHits } from "./lifecycle/revert-store.ts";
export {
  convertDeliveriesCtes,
  countersOf,
  DELIVERY_COLUMNS,
  type DeliveryReport,
  LOCKED_IN_ORDER,
  lifecycleCtes,
  lockDeliveries,
  markSending,
  newDeliveriesCte,
  onDelivery,
  recordDeliveryEvents,
  sameDelivery,
} from "./lifecycle/store.ts";
export { pointOf } from "./point.ts";
