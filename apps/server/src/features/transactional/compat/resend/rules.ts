import type { SendDetail } from "../../schema.ts";
import { dataOf, type SharedMail } from "../copies.pure.ts";
import type { LastEvent, ResendEmail, ResendMail } from "./schema.ts";

/** What Resend calls the fields of a mail, where it does not call them as this house does. */
export const RESEND_NAMES = { data: "template.variables", message: "html", sendAt: "scheduled_at" };

/** A mail of Resend as one that is sent here. */
export function mailOfResend(mail: ResendMail): SharedMail {
  const { template, subject, html, text } = mail;
  return {
    content: template
      ? { template: template.id, data: dataOf(template.variables) }
      : { own: { subject: subject ?? "", html: html || null, text: text || null } },
    from: mail.from ?? null,
    to: mail.to,
    cc: mail.cc ?? [],
    bcc: mail.bcc ?? [],
    replyTo: mail.reply_to ?? [],
    headers: Object.entries(mail.headers ?? {}),
    attachments: mail.attachments ?? [],
    sendAt: mail.scheduled_at ?? null,
    tags: Object.fromEntries((mail.tags ?? []).map(({ name, value }) => [name, value])),
  };
}

/** What became of a send last, in Resend's words. One whose end is unknown was handed over, which is all that `sent` says. */
export function lastEventOf(
  { state, sendAt, openedAt, clickedAt }: Pick<SendDetail, "state" | "sendAt" | "openedAt" | "clickedAt">,
  now: number,
): LastEvent {
  if (state === "waiting" || state === "sending")
    return sendAt !== null && sendAt > now ? "scheduled" : "queued";
  if (state === "sent" || state === "delivered" || state === "unknown") {
    if (clickedAt !== null) return "clicked";
    if (openedAt !== null) return "opened";
    return state === "delivered" ? "delivered" : "sent";
  }
  return state;
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** A send as Resend shows a mail. What is not kept of it is null. */
export function resendEmail(send: SendDetail, now: number): ResendEmail {
  return {
    object: "email",
    id: send.id,
    message_id: null,
    to: send.to === null ? [] : [send.to],
    from: null,
    created_at: iso(send.requestedAt),
    subject: send.subject,
    html: null,
    text: null,
    bcc: null,
    cc: null,
    reply_to: null,
    last_event: lastEventOf(send, now),
    scheduled_at: send.sendAt === null ? null : iso(send.sendAt),
    tags: Object.entries(send.tags).map(([name, value]) => ({ name, value })),
  };
}
