import type { Unreachable } from "../../deliveries/gates/schema.ts";
import type { WaitReason } from "./schema.ts";

/** Why planning lets a user wait, in the order in which it asks. */
export const PUSH_REASONS = [
  "trait_missing",
  "campaign_not_ready",
  "no_installation",
  "no_token",
  "no_consent",
  "permission",
  "capability",
  "credential",
] as const satisfies readonly (WaitReason & Unreachable)[];
type Reason = (typeof PUSH_REASONS)[number];

/** What a reason means, in a sentence. */
export const REASONS: Readonly<Record<Reason, string>> = {
  trait_missing: "The user lacks a trait that the message names without a fallback.",
  campaign_not_ready: "The user's traits make the message longer than a push may be.",
  no_installation: "The user has no device with the app, or not the one that the campaign names.",
  no_token: "No device of the user has a push token.",
  no_consent: "The user has not consented to pushes on a device that has a token.",
  permission: "The operating system does not let the app show pushes.",
  capability: "The app of the user cannot show this content: its buttons, channel, category or image.",
  credential: "There is no push credential for the platform and environment of the user's device.",
};

/** A reason to wait as one of those that planning gives. */
export function asUnreachable(waiting: WaitReason): Reason {
  const reason = PUSH_REASONS.find((each) => each === waiting);
  if (reason === undefined) throw new Error(`Planning gives no reason ${waiting}.`);
  return reason;
}

/** Whether a reason lies in what the message says, before any device is looked at. */
export const isOfMessage = (reason: Reason): boolean =>
  reason === "trait_missing" || reason === "campaign_not_ready";
