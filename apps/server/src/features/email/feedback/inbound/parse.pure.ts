import { says } from "../../transport/says.pure.ts";
import { COMPLAINED, DELIVERED, GONE, RETURNED, type ReportEffect, returned } from "../effects.pure.ts";

/** A part of a mail: its type in lower case, and its text. */
export type MailPart = { contentType: string; text: string };

/** Fields of a header, by name in lower case; of several with one name, the first. */
type Fields = ReadonlyMap<string, string>;

/** The blocks of fields in a text, separated by empty lines; folded lines are joined (RFC 5322, 2.2.3). */
function readBlocks(text: string): Fields[] {
  return text
    .trimStart()
    .split(/\r?\n(?:[ \t]*\r?\n)+/)
    .map((block) => {
      const fields = new Map<string, string>();
      for (const line of block.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
        const [, name, value] = /^([!-9;-~]+)[ \t]*:(.*)$/.exec(line) ?? [];
        const key = name?.toLowerCase();
        if (key !== undefined && !fields.has(key)) fields.set(key, (value ?? "").trim());
      }
      return fields;
    });
}

// The forms of RFC 6533 carry addresses beyond ASCII.
const STATUS = /^message\/(global-)?delivery-status$/;
const COPY = /^(message\/(rfc822|global|global-headers)|text\/rfc822-headers)$/;
const FEEDBACK = "message/feedback-report";

/**
 * What became of a recipient (RFC 3464, 2.3.3). A server that is still trying reports no failure. The answer that it
 * got itself (`Diagnostic-Code`) says more than its own status, which is often 5.0.0.
 */
function judgeRecipient(fields: Fields): ReportEffect | null {
  const action = /^[a-z]+/.exec(fields.get("action")?.toLowerCase() ?? "")?.[0];
  if (action === "delivered" || action === "relayed") return DELIVERED;
  if (action !== "failed") return null;
  return returned(says({ status: fields.get("status"), text: fields.get("diagnostic-code") }));
}

/**
 * What a delivery status notification says. It names several recipients where the address stands for several mailboxes: what reached one
 * of them was delivered. Else an address that is gone counts first.
 */
function judgeStatus(text: string): ReportEffect | null {
  const found = readBlocks(text).map(judgeRecipient);
  return [DELIVERED, GONE, RETURNED].find((effect) => found.includes(effect)) ?? null;
}

/** Only the type `abuse` is a complaint (RFC 5965, 3.1 and 7.3): other types do not say that the recipient wants no mail. */
const judgeFeedback = (text: string): ReportEffect | null =>
  readBlocks(text)[0]?.get("feedback-type")?.toLowerCase() === "abuse" ? COMPLAINED : null;

/** What a mail reports of a message: its Message-ID without brackets, and what became of it; null where nothing is recorded of it. */
export type MailReport = { messageId: string; effect: ReportEffect | null };

/** Reads a report of a mail server (RFC 3464) or of a mailbox provider's complaints (RFC 5965); null for any other mail. */
export function readMailReport(parts: readonly MailPart[]): MailReport | null {
  const status = parts.find(({ contentType }) => STATUS.test(contentType));
  const feedback = parts.find(({ contentType }) => contentType === FEEDBACK);
  const returned = parts.find(({ contentType }) => COPY.test(contentType));
  if (returned === undefined || (status === undefined && feedback === undefined)) return null;
  const header = readBlocks(returned.text)[0];
  const [, messageId] = /^<([^<>\s]+)>/.exec(header?.get("message-id") ?? "") ?? [];
  if (messageId === undefined) return null;
  const effect = feedback === undefined ? judgeStatus(status?.text ?? "") : judgeFeedback(feedback.text);
  return { messageId, effect };
}
