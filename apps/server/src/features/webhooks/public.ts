export {
  addressMessagesCte,
  announce,
  announceMerged,
  type DeliveryChange,
  deliveryMessagesCte,
  eraseFromMessages,
  thingMessagesCte,
  userMessagesCte,
} from "./feed/feed-store.ts";
export { type FaultyWebhook, listFaultyWebhooks, takeFaultAlertsAcrossProjects } from "./store.ts";
export { receiverHost } from "./view.ts";
