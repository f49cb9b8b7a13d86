import { withoutTrait } from "../../template/words.pure.ts";
import type { EmailOptions, Recipient } from "../compiled-email.ts";
import { fillSlot, type TextSlot } from "../html/renderer.ts";
import type { Attachment } from "../mime/attachment.pure.ts";
import { type CustomHeader, headerFault } from "../mime/custom-headers.pure.ts";
import {
  dateHeader,
  fromHeader,
  header,
  type Mailbox,
  mailboxesHeader,
  rawHeader,
  textHeader,
  toHeader,
} from "../mime/headers.ts";
import { attachmentPart, type MimePart, multipart, textPart } from "../mime/parts.ts";
import { htmlPart, plainPart, renderersOf, type WrittenEmail } from "../written-email.ts";
import type { FilledReceipt } from "./fill-receipt.ts";

/** A mail that the customer's code wrote, of which at least one part is there. It goes as it is: nothing in it is counted or changed. */
export type OwnMail = { subject: string; html: string | null; text: string | null };

/** What is the same for all receipts of a template; `headers` are ours. They cannot be unsubscribed from. */
export type ReceiptOptions = Omit<EmailOptions, "unsubscribable">;

/** Whom a receipt goes to. `address` is whom the envelope names; the mail shows that one with its `name`, or else `shownTo` and `shownCc`. */
export type ReceiptRecipient = Omit<Recipient, "person" | "headers"> & {
  name: string | null;
  shownTo?: readonly Mailbox[];
  shownCc?: readonly Mailbox[];
  replyTo: readonly Mailbox[];
  /** Those that the request gave, and that `headerFault` has nothing against. */
  headers: readonly CustomHeader[];
  attachments: readonly Attachment[];
};

type Texts = { plain: string | null; html: string | null };

function writtenTexts(email: WrittenEmail, options: ReceiptOptions, token: string): Texts {
  const sheet = { ...options, unsubscribable: false };
  const { slots, renderer } = renderersOf(email, sheet);
  const fill = (part: string | TextSlot): string =>
    typeof part === "string" ? part : fillSlot(part, { fill: withoutTrait, token }, options.signTarget);
  const read = (written: string): string => slots.read(written).map(fill).join("");
  return {
    plain: read(plainPart(email, sheet, renderer("plain"))).trimEnd(),
    html: read(htmlPart(email, sheet, renderer("html"))).trimEnd(),
  };
}

/** The body of a mail: pictures belong to the HTML that shows them, and files go beside both texts. */
function bodyOf({ plain, html }: Texts, attachments: readonly Attachment[]): MimePart {
  const isPicture = ({ contentId }: Attachment): boolean => html !== null && contentId !== null;
  const pictures = attachments.filter(isPicture).map(attachmentPart);
  const files = attachments.filter((each) => !isPicture(each)).map(attachmentPart);
  const texts = [
    ...(plain === null ? [] : [textPart("text/plain", plain)]),
    ...(html === null ? [] : [multipart("related", [textPart("text/html", html), ...pictures])]),
  ];
  if (texts.length === 0) throw new Error("A mail without HTML and without text.");
  return multipart("mixed", [multipart("alternative", texts), ...files]);
}

function customHeader([name, value]: CustomHeader): string {
  const fault = headerFault(name, value);
  if (fault !== null) throw new Error(`A header that was never checked: it ${fault}`);
  return header(name, value);
}

const shownTo = ({ address, name, shownTo: shown }: ReceiptRecipient): string =>
  mailboxesHeader("To", shown ?? [{ name, address }]) || toHeader(address);

/**
 * The whole mail for one recipient (RFC 5322): 7-bit, CRLF, no line over 76 characters where it can be wrapped. Throws where headers or
 * attachments were not checked by `headerFault` and `attachmentFault`.
 */
export function writeReceipt(
  content: FilledReceipt | OwnMail,
  options: ReceiptOptions,
  recipient: ReceiptRecipient,
): Buffer {
  const texts =
    "email" in content
      ? writtenTexts(content.email, options, recipient.token)
      : { plain: content.text, html: content.html };
  const body = bodyOf(texts, recipient.attachments);
  const head = [
    fromHeader(options.from),
    shownTo(recipient),
    mailboxesHeader("Cc", recipient.shownCc ?? []),
    mailboxesHeader("Reply-To", recipient.replyTo),
    textHeader("Subject", content.subject),
    dateHeader(recipient.sentAt),
    rawHeader("Message-ID", `<${recipient.messageId}>`),
    ...recipient.headers.map(customHeader),
    "Auto-Submitted: auto-generated\r\nX-Auto-Response-Suppress: All\r\n",
    ...(options.headers ?? []).map(([name, value]) => header(name, value)),
    "MIME-Version: 1.0\r\n",
  ];
  return Buffer.from(`${head.join("")}${body.headers}\r\n${body.body}`, "latin1");
}
