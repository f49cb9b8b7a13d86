import { classifyRefusal, type MailRefusal } from "../../transport/mail-refusal.pure.ts";
import {
  COMPLAINED,
  DELIVERED,
  GONE_EFFECT,
  RETURNED,
  RETURNED_FOR_NOW,
  type ReportEffect,
  returned,
} from "../effects.pure.ts";
import { type HeaderFields, idsIn, messageIdOf, readBlocks, readHeader } from "./header.pure.ts";
import { type ReturnedText, readReturnedText } from "./returned-text.pure.ts";

/** A part of a mail: its type in lower case, and its text. */
export type MailPart = { contentType: string; text: string };

/** A mail: its type in lower case, its header, and its parts at every depth; a mail that is not multipart is its one part. */
export type Mail = { contentType: string; header: string; parts: readonly MailPart[] };

// The forms of RFC 6533 carry addresses beyond ASCII.
const STATUS = /^message\/(global-)?delivery-status$/;
const COPY = /^(message\/(rfc822|global|global-headers)|text\/rfc822-headers)$/;
const FEEDBACK = /^message\/feedback-report$/;
const PLAIN = /^text\/plain$/;

/** Recipients that are judged: a message of ours has one, an address that may stand for several mailboxes. */
const MAX_RECIPIENTS = 20;

/** What became of a message, by the refusals of its recipients: an address that is gone counts first. */
function judgeRefusals(refusals: readonly MailRefusal[]): ReportEffect | null {
  const found = refusals.slice(0, MAX_RECIPIENTS).map((refusal) => returned(classifyRefusal(refusal)));
  return [GONE_EFFECT, RETURNED, RETURNED_FOR_NOW].find((effect) => found.includes(effect)) ?? null;
}

/** The word of a report for what became of a recipient, in lower case and without the comment after it. */
const actionOf = (fields: HeaderFields): string | undefined =>
  /^[a-z]+/.exec(fields.get("action")?.toLowerCase() ?? "")?.[0];

/**
 * What a delivery status notification says (RFC 3464, 2.3.3). It names several recipients where the address stands for several mailboxes: what
 * reached one of them was delivered. A server that is still trying reports no failure. The answer that it got itself (`Diagnostic-Code`)
 * says more than its own status, which is often 5.0.0.
 */
function judgeStatus(text: string): ReportEffect | null {
  const blocks = readBlocks(text);
  if (blocks.some((fields) => ["delivered", "relayed"].includes(actionOf(fields) ?? ""))) return DELIVERED;
  const failed = blocks.filter((fields) => actionOf(fields) === "failed");
  return judgeRefusals(
    failed.map((fields) => ({ status: fields.get("status"), text: fields.get("diagnostic-code") })),
  );
}

/** Only the type `abuse` is a complaint (RFC 5965, 3.1 and 7.3): other types do not say that the recipient wants no mail. */
const judgeFeedback = (text: string): ReportEffect | null =>
  readHeader(text).get("feedback-type")?.toLowerCase() === "abuse" ? COMPLAINED : null;

/** The sender of the complaints of Outlook.com, and the field that Microsoft puts into the message it sends back. */
const MICROSOFT = { sender: "staff@hotmail.com", field: "x-hmxmroriginalrecipient" };

/**
 * Whether a mail is a complaint as Microsoft's Junk Mail Reporting Program sends it: the message alone, without a report. Both signs are
 * needed: a person who forwards mail from a mailbox at Microsoft may send the field too.
 */
function isMicrosoftComplaint(header: HeaderFields, copy: HeaderFields): boolean {
  const from = header.get("from") ?? "";
  const address = /<([^<>]*)>$/.exec(from)?.[1] ?? from;
  return address.trim().toLowerCase() === MICROSOFT.sender && copy.has(MICROSOFT.field);
}

/** The mail, as far as a report of a message may be in it. */
type Sections = {
  header: HeaderFields;
  feedback: string | undefined;
  status: string | undefined;
  text: ReturnedText | null;
  /** The header of the message, where it came back as a part. */
  copy: HeaderFields | null;
};

/** What a mail says became of a message; null where nothing is recorded of that, undefined where it is no report. */
function judge({ header, feedback, status, text, copy }: Sections): ReportEffect | null | undefined {
  if (feedback !== undefined) return judgeFeedback(feedback);
  if (status !== undefined) return judgeStatus(status);
  if (copy !== null && isMicrosoftComplaint(header, copy)) return COMPLAINED;
  return text === null ? undefined : judgeRefusals(text.reasons.map((reason) => ({ text: reason })));
}

/**
 * The Message-ID of a message that did not come back as a part: its header is in the text, or the mail answers it. Where the text has a
 * header, that alone is the message: what came back may be an answer to one of ours.
 */
function namedBy(header: HeaderFields, text: ReturnedText | null): string | null {
  const copy = text?.copy?.trim() ?? "";
  if (copy !== "") return messageIdOf(readHeader(copy));
  return idsIn(header, "in-reply-to")[0] ?? idsIn(header, "references").at(-1) ?? null;
}

/** What a mail reports of a message: its Message-ID without brackets, and what became of it; null where nothing is recorded of it. */
export type MailReport = { messageId: string; effect: ReportEffect | null };

/**
 * Reads a report of a mail server (RFC 3464, or the words of a server that is known) or of a mailbox provider's complaints (RFC 5965, or
 * Microsoft's form); null for any other mail.
 */
export function readMailReport({ contentType, header, parts }: Mail): MailReport | null {
  const find = (wanted: RegExp): string | undefined =>
    parts.find((part) => wanted.test(part.contentType))?.text;
  const returnedPart = find(COPY);
  const sections: Sections = {
    header: readHeader(header),
    feedback: find(FEEDBACK),
    status: find(STATUS),
    text: readReturnedText(find(PLAIN) ?? ""),
    copy: returnedPart === undefined ? null : readHeader(returnedPart),
  };
  const effect = judge(sections);
  if (effect === undefined) return null;
  const { copy, feedback, status } = sections;
  // A person may attach the report of another server to an answer to one of our messages.
  const isOwnReport = feedback === undefined && (status === undefined || contentType === "multipart/report");
  const named = isOwnReport ? namedBy(sections.header, sections.text) : null;
  const messageId = copy === null ? named : messageIdOf(copy);
  return messageId === null ? null : { messageId, effect };
}
