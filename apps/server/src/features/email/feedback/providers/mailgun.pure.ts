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

const Status = z.object({
  code: z.number().nullish().catch(null),
  "enhanced-code": looseText,
  message: looseText,
  description: looseText,
});

export const MailgunEvent = z.object({
  "event-data": z.object({
    event: looseText,
    severity: looseText,
    reason: looseText,
    recipient: looseText,
    timestamp: unixTime,
    "delivery-status": Status.nullish().catch(null),
    message: z
      .object({ headers: z.object({ "message-id": looseText }).nullish().catch(null) })
      .nullish()
      .catch(null),
    "user-variables": z.object({ delivery: looseText }).nullish().catch(null),
  }),
});
type MailgunEvent = z.output<typeof MailgunEvent>["event-data"];

/** Mailgun sent nothing, because the address is on one of its lists; by reason, and by the code that means the same. */
const ON_LIST: Readonly<Record<string, ReportEffect>> = {
  "suppress-bounce": GONE_EFFECT,
  "605": GONE_EFFECT,
  "suppress-unsubscribe": suppressedBefore("unsubscribed"),
  "606": suppressedBefore("unsubscribed"),
  "suppress-complaint": suppressedBefore("complained"),
  "607": suppressedBefore("complained"),
};

/** Reasons for giving up that are not the recipient's: too many attempts, or a mailbox provider that refuses the sender. */
const GAVE_UP: Readonly<Record<string, RefusalKind>> = { old: "later", espblock: "refused" };

function judgeFailure({ severity, reason, "delivery-status": status }: MailgunEvent): ReportEffect | null {
  const listed = [reason ?? "", String(status?.code ?? "")].find((key) => Object.hasOwn(ON_LIST, key));
  if (listed !== undefined) return ON_LIST[listed] ?? null;
  if (severity !== "permanent") return null;
  const answer = [status?.message, status?.description].filter((each) => each).join(" ");
  // Any refusal with 5xx is a bounce to Mailgun, which counts where the refusal is not explained.
  const unknown: RefusalKind = answer === "" && reason === "bounce" ? "gone" : "refused";
  const leaning = Object.hasOwn(GAVE_UP, reason ?? "") ? GAVE_UP[reason ?? ""] : unknown;
  return returned(
    classifyRefusal({ code: status?.code, status: status?.["enhanced-code"], text: answer }, leaning),
  );
}

/** An event of Mailgun's webhooks. */
export function readMailgun({ "event-data": event }: z.output<typeof MailgunEvent>): ProviderReport[] {
  const message = reportedMessage({
    delivery: event["user-variables"]?.delivery,
    messageId: event.message?.headers?.["message-id"],
    address: event.recipient,
  });
  switch (event.event) {
    case "delivered":
      return providerReport(message, DELIVERED, event.timestamp);
    case "failed":
      return providerReport(message, judgeFailure(event), event.timestamp);
    case "complained":
      return providerReport(message, COMPLAINED, event.timestamp);
    case "unsubscribed":
      return providerReport(message, UNSUBSCRIBED, event.timestamp);
    default:
      return [];
  }
}
