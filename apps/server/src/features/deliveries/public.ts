export { recountStats, tallyCte } from "./counters-store.ts";
export { moveDeliveries } from "./erase-store.ts";
export { revertHits } from "./lifecycle/revert-store.ts";
export {
  convertDeliveriesCtes,
  DELIVERY_COLUMNS,
  type DeliveryReport,
  type LockedDeliveries,
  lifecycleCtes,
  lockDeliveries,
  lockedInOrder,
  markSending,
  newDeliveriesCte,
  onDelivery,
  recordDeliveryEvents,
  sameDelivery,
} from "./lifecycle/store.ts";
export { type Epoch, isHeldOut, pointOf } from "./point.ts";
export { type AudiencePage, audiencePage, type Sweeper, sweepLoop, sweepNow } from "./sweep/sweep.ts";
export {
  closeSweep,
  countFaultsAcrossProjects,
  findEndedSweepsAcrossProjects,
  moveReevaluation,
  type Sweep,
  setSendingFault,
  sweepSoon,
} from "./sweep/sweep-store.ts";
