import type { Answer } from "@tidings/client";

export type DeliveryState = Answer<"listUserDeliveries">["deliveries"][number]["state"];

/** What an ended campaign has not sent or shown stays so, whatever the state of the delivery promises. */
const NEVER_LEAVES = "Never leaves: the campaign ended";

/** The states of a delivery in words, in the order of delivery. */
export const deliveryStates: Readonly<Record<DeliveryState, string>> = {
  queued: "Queued",
  sending: "Being sent",
  retryable: "Refused for now",
  frequency_capped: "Left out by the cap",
  withdrawn: "Withdrawn: waited too long",
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

/** What became of a delivery, in words, by the status of its campaign. */
export const stateInWords = (state: DeliveryState, campaignStatus: string): string =>
  campaignStatus === "ended" && (state === "queued" || state === "retryable")
    ? NEVER_LEAVES
    : deliveryStates[state];
