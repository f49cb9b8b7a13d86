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
import {
  headerOf,
  isoTime,
  looseText,
  type ProviderReport,
  providerReport,
  reportedMessage,
} from "./fields.pure.ts";

const Bounced = z.object({
  emailAddress: looseText,
  action: looseText,
  status: looseText,
  diagnosticCode: looseText,
});

export const SesEvent = z.object({
  // `eventType` comes from a configuration set, `notificationType` from an identity's own notifications.
  eventType: looseText,
  notificationType: looseText,
  mail: z.object({
    tags: z
      .object({ delivery: z.array(z.string()).optional() })
      .nullish()
      .catch(null),
    headers: z
      .array(z.object({ name: z.string(), value: z.string() }))
      .nullish()
      .catch(null),
    commonHeaders: z.object({ messageId: looseText }).nullish().catch(null),
  }),
  bounce: z
    .object({
      bounceType: looseText,
      bounceSubType: looseText,
      timestamp: isoTime,
      bouncedRecipients: z.array(Bounced).nullish().catch(null),
    })
    .optional()
    .catch(undefined),
  complaint: z
    .object({
      complaintSubType: looseText,
      complaintFeedbackType: looseText,
      timestamp: isoTime,
      complainedRecipients: z
        .array(z.object({ emailAddress: looseText }))
        .nullish()
        .catch(null),
    })
    .optional()
    .catch(undefined),
  delivery: z.object({ timestamp: isoTime }).optional().catch(undefined),
  subscription: z
    .object({
      timestamp: isoTime,
      newTopicPreferences: z.object({ unsubscribeAll: z.boolean() }).nullish().catch(null),
    })
    .optional()
    .catch(undefined),
});
type SesEvent = z.output<typeof SesEvent>;
type Bounce = NonNullable<SesEvent["bounce"]>;

/** SES sent nothing, because the address is on its list of addresses that bounced, or on that of the account. */
const ON_LIST = ["Suppressed", "OnAccountSuppressionList"];
/** Temporary bounces after which SES tries no more. Others may be an answer by a machine, of a message that arrived. */
const GIVEN_UP = [
  "MailboxFull",
  "MessageTooLarge",
  "ContentRejected",
  "AttachmentRejected",
  "CustomTimeoutExceeded",
];

/** What SES itself calls a bounce. A permanent one is any refusal with 5xx, which counts where the refusal is not explained. */
function leaningOf(
  { bounceType, bounceSubType }: Bounce,
  diagnostic: string | null | undefined,
): RefusalKind {
  if (bounceSubType === "NoEmail") return "gone";
  if (bounceType === "Permanent") return diagnostic ? "refused" : "gone";
  return bounceType === "Transient" ? "later" : "refused";
}

function judgeBounced(
  bounce: Bounce,
  { action, status, diagnosticCode }: Partial<z.output<typeof Bounced>>,
): ReportEffect | null {
  const subType = bounce.bounceSubType ?? "";
  if (subType === "UnsubscribedRecipient") return suppressedBefore("unsubscribed");
  if (ON_LIST.includes(subType)) return GONE_EFFECT;
  const verdict = classifyRefusal({ status, text: diagnosticCode }, leaningOf(bounce, diagnosticCode));
  const isOver =
    bounce.bounceType === "Permanent" ||
    verdict === "gone" ||
    action?.toLowerCase() === "failed" ||
    GIVEN_UP.includes(subType);
  return isOver ? returned(verdict) : null;
}

function judgeComplaint({
  complaintFeedbackType,
  complaintSubType,
}: NonNullable<SesEvent["complaint"]>): ReportEffect | null {
  if (complaintSubType === "OnAccountSuppressionList") return suppressedBefore("complained");
  return complaintFeedbackType === "not-spam" ? null : COMPLAINED;
}

/** An event of Amazon SES, as SNS carries it (Developer Guide, "Contents of event data that SES publishes to SNS"). */
export function readSes(event: SesEvent): ProviderReport[] {
  const { mail, bounce, complaint, delivery, subscription } = event;
  const messageTo = (address?: string | null) =>
    reportedMessage({
      delivery: mail.tags?.delivery?.[0] ?? headerOf(mail.headers, "x-tidings-delivery"),
      messageId: headerOf(mail.headers, "message-id") ?? mail.commonHeaders?.messageId,
      address,
    });
  switch (event.eventType ?? event.notificationType) {
    case "Delivery":
      return providerReport(messageTo(), DELIVERED, delivery?.timestamp);
    case "Bounce": {
      if (bounce === undefined) return [];
      const recipients = bounce.bouncedRecipients?.length ? bounce.bouncedRecipients : [{}];
      return recipients.flatMap((recipient: Partial<z.output<typeof Bounced>>) =>
        providerReport(messageTo(recipient.emailAddress), judgeBounced(bounce, recipient), bounce.timestamp),
      );
    }
    case "Complaint": {
      if (complaint === undefined) return [];
      // Of several, SES does not know who it was.
      const [only, ...others] = complaint.complainedRecipients ?? [];
      const complainant = others.length === 0 ? only?.emailAddress : null;
      return providerReport(messageTo(complainant), judgeComplaint(complaint), complaint.timestamp);
    }
    case "Subscription":
      return providerReport(
        messageTo(),
        subscription?.newTopicPreferences?.unsubscribeAll ? UNSUBSCRIBED : null,
        subscription?.timestamp,
      );
    default:
      return [];
  }
}
