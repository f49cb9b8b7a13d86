export {
  addressMessagesCte,
  announce,
  type DeliveryChange,
  deliveryMessagesCte,
  eraseFromMessages,
  thingMessagesCte,
  userMessagesCte,
} from "./feed/feed-store.ts";
export { type FaultyWebhook, listFaultyWebhooks, takeFaultAlertsAcrossProjects } from "./store.ts";
export { receiverHost } from "./view.ts";
