import { gate } from "../../../deliveries/gates/gate.ts";
import { quoted } from "../../../deliveries/gates/words.pure.ts";
import type { FilledPush } from "../render.ts";

/** `filled`: the content for the user, or why it cannot be written. */
type Facts = { filled: FilledPush };
/** `isSendable`: whether there is a user, and a variant to send. */
type Found = Facts & { isSendable: boolean };

/** What is written where there is no user, or nothing to send. */
export const NOTHING_TO_SEND = "There is nobody to send it to, or no variant to send.";

/** Whether the content can be written for the user. */
export const pushMessageGate = gate({
  gate: "message",
  asks: "is there something to say once the personal fields are filled in?",
  stages: ["plan", "lease"],
  reasons: {
    trait_missing: "the message names a trait that the user lacks",
    campaign_not_ready: "the user's traits make the message too long",
  },
  passes: ({ filled }: Facts) => "content" in filled,
  reason: ({ filled }: Facts) => ("reason" in filled ? filled.reason : "campaign_not_ready"),
  skipped: ({ isSendable }: Found) => (isSendable ? null : NOTHING_TO_SEND),
  note({ filled }: Facts) {
    if ("content" in filled) return "The message can be written for this user.";
    if (filled.reason === "campaign_not_ready")
      return "The user's traits make the message longer than a push may be.";
    return `The user lacks a trait that the message names without a fallback. It is ${quoted(filled.missing)}.`;
  },
});
