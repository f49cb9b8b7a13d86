import { z } from "zod";
import { classifyRefusal, type RefusalKind } from "../../transport/mail-refusal.pure.ts";
import {
  COMPLAINED,
  DELIVERED,
  GONE_EFFECT,
  type ReportEffect,
  returned,
  UNSUBSCRIBED,
} from "../effects.pure.ts";
import {
  headerOf,
  isoTime,
  looseText,
  type ProviderReport,
  providerReport,
  reportedMessage,
} from "./fields.pure.ts";

export const PostmarkEvent = z.object({
  RecordType: looseText,
  Type: looseText,
  // What the receiving server said. `Description` explains the type with examples ("ex: unknown user") and is not read.
  Details: looseText,
  Email: looseText,
  Recipient: looseText,
  Metadata: z.object({ delivery: looseText }).nullish().catch(null),
  Headers: z
    .array(z.object({ Name: z.string(), Value: z.string() }))
    .nullish()
    .catch(null),
  DeliveredAt: isoTime,
  BouncedAt: isoTime,
  ChangedAt: isoTime,
  SuppressSending: z.boolean().nullish().catch(null),
  SuppressionReason: looseText,
  Origin: looseText,
});

/** Types of bounces after which Postmark tries no more, and what it takes them for. The others are delays and answers by machines. */
const OVER: Readonly<Record<string, RefusalKind>> = {
  HardBounce: "gone",
  BadEmailAddress: "gone",
  SoftBounce: "later",
  DnsError: "later",
  Blocked: "refused",
  SpamNotification: "refused",
  VirusNotification: "refused",
  DMARCPolicy: "refused",
  SMTPApiError: "refused",
};

/** What a bounce of Postmark means. */
function judgeBounce(type: string, details: string | null | undefined): ReportEffect | null {
  if (type === "Unsubscribe") return UNSUBSCRIBED;
  if (type === "SpamComplaint") return COMPLAINED;
  const leaning = Object.hasOwn(OVER, type) ? OVER[type] : undefined;
  if (leaning === undefined) return null;
  // Any refusal with 5xx is a hard bounce, which counts where the refusal is not explained.
  const isExplained = type === "HardBounce" && Boolean(details);
  return returned(classifyRefusal({ text: details }, isExplained ? "refused" : leaning));
}

/** What it means that Postmark stopped sending to an address. A suppression that the project's own team made there is ignored. */
function judgeChange(
  reason: string | null | undefined,
  origin: string | null | undefined,
): ReportEffect | null {
  if (reason === "HardBounce") return GONE_EFFECT;
  if (reason === "SpamComplaint") return COMPLAINED;
  return reason === "ManualSuppression" && origin === "Recipient" ? UNSUBSCRIBED : null;
}

/** A record of Postmark's webhooks (delivery, bounce, spam complaint, subscription change). */
export function readPostmark(event: z.output<typeof PostmarkEvent>): ProviderReport[] {
  const headers = event.Headers?.map(({ Name, Value }) => ({ name: Name, value: Value }));
  const message = reportedMessage({
    delivery: event.Metadata?.delivery,
    messageId: headerOf(headers, "message-id"),
    address: event.Email ?? event.Recipient,
  });
  switch (event.RecordType) {
    case "Delivery":
      return providerReport(message, DELIVERED, event.DeliveredAt);
    case "Bounce":
      return providerReport(message, judgeBounce(event.Type ?? "", event.Details), event.BouncedAt);
    case "SpamComplaint":
      return providerReport(message, COMPLAINED, event.BouncedAt);
    case "SubscriptionChange":
      return providerReport(
        message,
        event.SuppressSending ? judgeChange(event.SuppressionReason, event.Origin) : null,
        event.ChangedAt,
      );
    default:
      return [];
  }
}
