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
  withdrawn: "Withdrawn: waited too long, or the campaign ended",
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

/** Of the message of a step: its user may have left the journey before it left. */
const WITHDRAWN_FROM_STEP = "Withdrawn: waited too long, the step ended, or the user has left the journey";
const WITHDRAWN = "Withdrawn before it left";

/** `journeyStep` is left out where it is not known whether it is the message of a step. */
type OfCampaign = { status: string; journeyStep?: object | null };

/** What became of a delivery, in words, by the status of its campaign, and by whether that is the message of a step. */
export function stateInWords(state: DeliveryState, { status, journeyStep }: OfCampaign): string {
  if (status === "ended" && (state === "queued" || state === "retryable")) return NEVER_LEAVES;
  if (state !== "withdrawn" || journeyStep === null) return deliveryStates[state];
  return journeyStep === undefined ? WITHDRAWN : WITHDRAWN_FROM_STEP;
}
