import { z } from "zod";
import { classifyRefusal, type RefusalKind } from "../../transport/mail-refusal.pure.ts";
import {
  COMPLAINED,
  DELIVERED,
  GONE_EFFECT,
  type ReportEffect,
  returned,
  suppressedBefore,
  UNSUBSCRIBED,
} from "../effects.pure.ts";
import { looseText, type ProviderReport, providerReport, reportedMessage, unixTime } from "./fields.pure.ts";

export const SendGridEvent = z.object({
  event: looseText,
  type: looseText,
  status: looseText,
  reason: looseText,
  bounce_classification: looseText,
  email: looseText,
  timestamp: unixTime,
  "smtp-id": looseText,
  // Unique arguments stand beside the event's own fields. Bounces that come later, as mail, have none.
  delivery: looseText,
  unique_args: z.object({ delivery: looseText }).nullish().catch(null),
});
type SendGridEvent = z.output<typeof SendGridEvent>;

/** Reasons for a drop that are the recipient's; the others (quota, content) say nothing of the address. */
const DROPPED: Readonly<Record<string, ReportEffect>> = {
  "bounced address": GONE_EFFECT,
  invalid: GONE_EFFECT,
  "unsubscribed address": suppressedBefore("unsubscribed"),
  "spam reporting address": suppressedBefore("complained"),
};

/** What SendGrid takes a bounce for. `blocked` is one that is not about the address; the others count where the refusal is not explained. */
function leaningOf({ type, reason, bounce_classification: kind }: SendGridEvent): RefusalKind {
  if (kind?.toLowerCase() === "invalid address") return "gone";
  return type === "blocked" || reason ? "refused" : "gone";
}

function judgeDrop(reason: string): ReportEffect | null {
  return Object.hasOwn(DROPPED, reason) ? (DROPPED[reason] ?? null) : null;
}

/** An event of SendGrid's event webhook. */
export function readSendGrid(event: SendGridEvent): ProviderReport[] {
  const message = reportedMessage({
    delivery: event.delivery ?? event.unique_args?.delivery,
    messageId: event["smtp-id"],
    address: event.email,
  });
  const { status, reason } = event;
  switch (event.event) {
    case "delivered":
      return providerReport(message, DELIVERED, event.timestamp);
    case "bounce":
      return providerReport(
        message,
        returned(classifyRefusal({ status, text: reason }, leaningOf(event))),
        event.timestamp,
      );
    case "dropped":
      return providerReport(message, judgeDrop(reason?.trim().toLowerCase() ?? ""), event.timestamp);
    case "spamreport":
      return providerReport(message, COMPLAINED, event.timestamp);
    case "unsubscribe":
    case "group_unsubscribe":
      return providerReport(message, UNSUBSCRIBED, event.timestamp);
    default:
      return [];
  }
}
