import type { Answer } from "@tidings/client";

export type DeliveryState = Answer<"listUserDeliveries">["deliveries"][number]["state"];

/** The states of a delivery in words, in the order of delivery. */
export const deliveryStates: Readonly<Record<DeliveryState, string>> = {
  queued: "Queued",
  sending: "Being sent",
  retryable: "Refused for now",
  frequency_capped: "Left out by the cap",
  sent: "Sent",
  delivered: "Delivered",
  shown: "Shown",
  opened: "Opened",
  clicked: "Clicked",
  dismissed: "Dismissed",
  bounced: "Bounced",
  complained: "Complained",
  unsubscribed: "Unsubscribed",
  failed: "Failed",
  converted: "Converted",
};
