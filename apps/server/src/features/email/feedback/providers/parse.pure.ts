import { z } from "zod";
import type { Provider } from "../../sending/provider-headers.pure.ts";
import type { ReportedEvent } from "../rules.ts";

/** What a provider says of a message. `delivery` is our id as it came; `at` epoch milliseconds, or null where none is given. */
export type ProviderReport = { delivery: string; event: ReportedEvent; at: number | null };

const text = z.string().nullish().catch(null);

/** An instant in ISO 8601, in epoch milliseconds. */
const isoTime = text.transform((iso) => {
  const at = Date.parse(iso ?? "");
  return Number.isNaN(at) ? null : at;
});
/** An instant in seconds since 1970, with or without a fraction, in epoch milliseconds. */
const unixTime = z
  .number()
  .nullish()
  .catch(null)
  .transform((seconds) => (seconds == null ? null : Math.round(seconds * 1_000)));

const report = (
  delivery: string | null | undefined,
  event: ReportedEvent | null,
  at: number | null | undefined,
): ProviderReport[] => (event === null || delivery == null ? [] : [{ delivery, event, at: at ?? null }]);

const SesEvent = z.object({
  // `eventType` comes from a configuration set, `notificationType` from an identity's own notifications.
  eventType: text,
  notificationType: text,
  mail: z.object({
    tags: z
      .object({ delivery: z.array(z.string()).optional() })
      .nullish()
      .catch(null),
    headers: z
      .array(z.object({ name: z.string(), value: z.string() }))
      .nullish()
      .catch(null),
  }),
  bounce: z.object({ bounceType: text, timestamp: isoTime }).optional().catch(undefined),
  complaint: z.object({ complaintFeedbackType: text, timestamp: isoTime }).optional().catch(undefined),
  delivery: z.object({ timestamp: isoTime }).optional().catch(undefined),
  subscription: z
    .object({
      timestamp: isoTime,
      newTopicPreferences: z.object({ unsubscribeAll: z.boolean() }).nullish().catch(null),
    })
    .optional()
    .catch(undefined),
});

/** An event of Amazon SES, as SNS carries it (Developer Guide, "Contents of event data that SES publishes to SNS"). */
function readSes(event: z.output<typeof SesEvent>): ProviderReport[] {
  const { mail, bounce, complaint, delivery, subscription } = event;
  const id =
    mail.tags?.delivery?.[0] ??
    mail.headers?.find(({ name }) => name.toLowerCase() === "x-tidings-delivery")?.value;
  switch (event.eventType ?? event.notificationType) {
    case "Delivery":
      return report(id, "delivered", delivery?.timestamp);
    case "Bounce":
      return report(id, bounce?.bounceType === "Permanent" ? "bounced" : null, bounce?.timestamp);
    case "Complaint":
      return report(
        id,
        complaint?.complaintFeedbackType === "not-spam" ? null : "complained",
        complaint?.timestamp,
      );
    case "Subscription":
      return report(
        id,
        subscription?.newTopicPreferences?.unsubscribeAll ? "unsubscribed" : null,
        subscription?.timestamp,
      );
    default:
      return [];
  }
}

const PostmarkEvent = z.object({
  RecordType: text,
  Type: text,
  Inactive: z.boolean().nullish().catch(null),
  Metadata: z.object({ delivery: text }).nullish().catch(null),
  DeliveredAt: isoTime,
  BouncedAt: isoTime,
  ChangedAt: isoTime,
  SuppressSending: z.boolean().nullish().catch(null),
  SuppressionReason: text,
  Origin: text,
});

const POSTMARK_PERMANENT = ["HardBounce", "BadEmailAddress", "ManuallyDeactivated"];

/** What a bounce of Postmark means: its type, or that Postmark itself sends to the address no more. */
function postmarkBounce(type: string | null | undefined, isInactive: boolean): ReportedEvent | null {
  if (type === "Unsubscribe") return "unsubscribed";
  if (type === "SpamComplaint") return "complained";
  return isInactive || POSTMARK_PERMANENT.includes(type ?? "") ? "bounced" : null;
}

/** What it means that Postmark stopped sending to an address. A suppression that the project's own team made there is ignored. */
function postmarkChange(reason: string | null | undefined, origin: string | null | undefined) {
  if (reason === "HardBounce") return "bounced";
  if (reason === "SpamComplaint") return "complained";
  return reason === "ManualSuppression" && origin === "Recipient" ? "unsubscribed" : null;
}

/** A record of Postmark's webhooks (delivery, bounce, spam complaint, subscription change). */
function readPostmark(event: z.output<typeof PostmarkEvent>): ProviderReport[] {
  const id = event.Metadata?.delivery;
  switch (event.RecordType) {
    case "Delivery":
      return report(id, "delivered", event.DeliveredAt);
    case "Bounce":
      return report(id, postmarkBounce(event.Type, event.Inactive === true), event.BouncedAt);
    case "SpamComplaint":
      return report(id, "complained", event.BouncedAt);
    case "SubscriptionChange":
      return report(
        id,
        event.SuppressSending ? postmarkChange(event.SuppressionReason, event.Origin) : null,
        event.ChangedAt,
      );
    default:
      return [];
  }
}

const SendGridEvent = z.object({
  event: text,
  type: text,
  reason: text,
  timestamp: unixTime,
  // Unique arguments stand beside the event's own fields.
  delivery: text,
  unique_args: z.object({ delivery: text }).nullish().catch(null),
});

/** Reasons for a drop that are the recipient's; the others (quota, content) say nothing of the address. */
const SENDGRID_SUPPRESSED = ["bounced address", "unsubscribed address", "spam reporting address", "invalid"];

/** An event of SendGrid's event webhook. A bounce of type `blocked` is temporary. */
function readSendGrid(event: z.output<typeof SendGridEvent>): ProviderReport[] {
  const id = event.delivery ?? event.unique_args?.delivery;
  switch (event.event) {
    case "delivered":
      return report(id, "delivered", event.timestamp);
    case "bounce":
      return report(id, event.type === "blocked" ? null : "bounced", event.timestamp);
    case "dropped":
      return report(
        id,
        SENDGRID_SUPPRESSED.includes(event.reason?.toLowerCase() ?? "") ? "bounced" : null,
        event.timestamp,
      );
    case "spamreport":
      return report(id, "complained", event.timestamp);
    case "unsubscribe":
    case "group_unsubscribe":
      return report(id, "unsubscribed", event.timestamp);
    default:
      return [];
  }
}

const MailgunEvent = z.object({
  "event-data": z.object({
    event: text,
    severity: text,
    reason: text,
    timestamp: unixTime,
    "user-variables": z.object({ delivery: text }).nullish().catch(null),
  }),
});

/** Mailgun gave up, but the address is not at fault: too many attempts, or a provider that refuses the sender. */
const MAILGUN_GAVE_UP = ["old", "espblock"];

/** An event of Mailgun's webhooks. */
function readMailgun({ "event-data": event }: z.output<typeof MailgunEvent>): ProviderReport[] {
  const id = event["user-variables"]?.delivery;
  const isPermanent = event.severity === "permanent" && !MAILGUN_GAVE_UP.includes(event.reason ?? "");
  switch (event.event) {
    case "delivered":
      return report(id, "delivered", event.timestamp);
    case "failed":
      return report(id, isPermanent ? "bounced" : null, event.timestamp);
    case "complained":
      return report(id, "complained", event.timestamp);
    case "unsubscribed":
      return report(id, "unsubscribed", event.timestamp);
    default:
      return [];
  }
}

const readWith =
  <Schema extends z.ZodType>(schema: Schema, read: (event: z.output<Schema>) => ProviderReport[]) =>
  (event: unknown): ProviderReport[] => {
    const parsed = schema.safeParse(event);
    return parsed.success ? read(parsed.data) : [];
  };

const READERS: Readonly<Record<Provider, (event: unknown) => ProviderReport[]>> = {
  ses: readWith(SesEvent, readSes),
  postmark: readWith(PostmarkEvent, readPostmark),
  sendgrid: readWith(SendGridEvent, readSendGrid),
  mailgun: readWith(MailgunEvent, readMailgun),
};

/**
 * The reports in a provider's body, which is one event or a list. Deferrals, temporary bounces, opens, clicks and events that cannot
 * be parsed are left out.
 */
export const readProviderReports = (provider: Provider, body: unknown): ProviderReport[] =>
  (Array.isArray(body) ? body : [body]).flatMap(READERS[provider]);
