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

/** Why a message does not go to a user who was to get it, in words. */
export const unreachableReasons = {
  too_late: "Matched too late: it is sent once",
  no_text: "No text for their language",
  no_address: "No address",
  invalid_address: "An address that cannot be one",
  suppressed: "Address that gets no mail",
  not_joined: "Known by their address alone, and joined topics only",
  known_twice: "Known twice, gets it as the other one",
  not_subscribed: "Left the topic, or never joined it",
  unconfirmed: "Address not confirmed",
  trait_missing: "A trait that the text needs is missing",
  campaign_not_ready: "The campaign is not ready",
  no_installation: "No device",
  no_token: "No push token",
  no_consent: "No consent",
  permission: "Pushes not permitted on the device",
  capability: "A device that cannot show it",
  credential: "No valid credential for the device",
} as const;
