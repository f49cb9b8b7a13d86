import type { Filling } from "../template/fillings.pure.ts";
import {
  fillField,
  isStatic,
  parseTemplate,
  type Template,
  type TemplateUser,
} from "../template/template.pure.ts";
import { type Body, parseBody } from "./html/markdown.pure.ts";
import { fillSlot, type TextSlot } from "./html/renderer.ts";
import { readTarget } from "./html/target.ts";
import type { EmailMessage } from "./message.pure.ts";
import { dateHeader, fromHeader, header, rawHeader, textHeader, toHeader } from "./mime/headers.ts";
import { encodeStatic, encodeValue } from "./mime/quoted-printable.ts";
import { htmlPart, plainPart, renderersOf, type SheetOptions, type WrittenEmail } from "./written-email.ts";

type Headers = readonly (readonly [name: string, value: string])[];

/** What is the same for every recipient of a message. */
export type EmailOptions = SheetOptions & {
  from: { name: string | null; address: string };
  headers?: Headers;
};

/** The user whom a mail goes to. `token` is URL-safe; `messageId` has no angle brackets; `sentAt` is in epoch milliseconds. */
export type Recipient = {
  address: string;
  person: TemplateUser;
  token: string;
  messageId: string;
  sentAt: number;
  headers?: Headers;
};

/** A message, ready to be filled in for any number of recipients. */
export type CompiledEmail = {
  from: string;
  /** The whole header, or the template from which each recipient's is made. */
  subject: string | Template;
  /** Headers that are the same for all. */
  headers: string;
  /** Address of the unsubscribe page, before and after the token; null without one. */
  unsubscribe: readonly [before: string, after: string] | null;
  slots: readonly TextSlot[];
  /** The encoded body is the first text, then for each entry of `order` the value of that slot and the next text. */
  texts: readonly string[];
  order: readonly number[];
  signTarget: (url: string) => string;
};

/** No encoded text contains this: in quoted-printable, "=" is followed by a hexadecimal digit or the end of the line. */
const BOUNDARY = "=_tidings";

const CONTENT_TYPE = `MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary="${BOUNDARY}"\r\n`;

const partHead = (type: string): string =>
  `--${BOUNDARY}\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`;

/** The value of a parser whose fault was ruled out when the message was saved. Throws where it was not. */
function sound<Value extends object, Fault extends string>(value: Value | { fault: Fault }): Value {
  if ("fault" in value) throw new Error(`A message that was never checked: ${String(value.fault)}`);
  return value;
}

function parse(message: EmailMessage, body: Body): WrittenEmail {
  const { cta } = message;
  return {
    subject: sound(parseTemplate(message.subject, "stored")),
    preview: sound(parseTemplate((message.previewText ?? "").trim(), "stored")),
    body,
    button:
      cta === undefined
        ? null
        : {
            label: sound(parseTemplate(cta.label.trim(), "stored")),
            target: sound(readTarget(sound(parseTemplate(cta.url, "stored")).parts)),
          },
  };
}

/** Encodes the static texts of both parts, once for all recipients. The lines between the parts are ASCII already. */
function encodeBody(plain: readonly (string | TextSlot)[], html: readonly (string | TextSlot)[]) {
  const slots: TextSlot[] = [];
  const numbers = new Map<TextSlot, number>();
  const texts = [partHead("text/plain")];
  const order: number[] = [];
  const append = (text: string): void => {
    texts[texts.length - 1] += text;
  };
  const encode = (parts: readonly (string | TextSlot)[]): void => {
    for (const [index, part] of parts.entries()) {
      if (typeof part === "string") {
        append(encodeStatic(part, index === parts.length - 1));
        continue;
      }
      const number = numbers.get(part) ?? slots.push(part) - 1;
      numbers.set(part, number);
      order.push(number);
      texts.push("");
    }
  };
  encode(plain);
  append(partHead("text/html"));
  encode(html);
  append(`--${BOUNDARY}--\r\n`);
  return { slots, texts, order };
}

/** The HTML of a mail, before it is encoded. The message must have passed `EmailMessage`; `body` is its body, parsed. */
export function renderHtml(
  message: EmailMessage,
  body: Body,
  options: EmailOptions,
): readonly (string | TextSlot)[] {
  const parsed = parse(message, body);
  const { slots, renderer } = renderersOf(parsed, options);
  return slots.read(htmlPart(parsed, options, renderer("html")));
}

/**
 * Makes a message ready for sending, once for all recipients: renders its Markdown, escapes and encodes its static pieces. The
 * message must have passed `EmailMessage`.
 */
export function compileEmail(message: EmailMessage, options: EmailOptions): CompiledEmail {
  const parsed = parse(message, sound(parseBody(message.body, "stored")));
  const { publicUrl, signTarget, unsubscribable } = options;
  const { slots, renderer } = renderersOf(parsed, options);
  const plain = slots.read(plainPart(parsed, options, renderer("plain")));
  const html = slots.read(htmlPart(parsed, options, renderer("html")));
  const extra = (options.headers ?? []).map(([name, value]) => header(name, value)).join("");
  const oneClick = "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n";
  return {
    from: fromHeader(options.from),
    subject: isStatic(parsed.subject) ? textHeader("Subject", message.subject) : parsed.subject,
    headers: `${unsubscribable ? oneClick : ""}Auto-Submitted: auto-generated\r\nX-Auto-Response-Suppress: All\r\n${extra}${CONTENT_TYPE}\r\n`,
    unsubscribe: unsubscribable ? [`<${publicUrl}/e/`, "/unsubscribe>"] : null,
    ...encodeBody(plain, html),
    signTarget,
  };
}

const fillTemplate = (template: Template, fill: Filling): string =>
  template.parts.map((part) => (typeof part === "string" ? part : fill(part))).join("");

/**
 * The whole mail for one recipient (RFC 5322): 7-bit, CRLF, no line over 76 characters where it can be wrapped. Escapes and
 * encodes the recipient's fields and joins them with the encoded texts; nothing is parsed.
 */
export function fillEmail(compiled: CompiledEmail, recipient: Recipient): Buffer {
  const { subject, unsubscribe, texts, order } = compiled;
  const { person, token } = recipient;
  const fill: Filling = (field) => fillField(field, person);
  const values: string[] = [];
  for (const slot of compiled.slots)
    values.push(encodeValue(fillSlot(slot, { fill, token }, compiled.signTarget)));
  let mail =
    compiled.from +
    toHeader(recipient.address) +
    (typeof subject === "string" ? subject : textHeader("Subject", fillTemplate(subject, fill))) +
    dateHeader(recipient.sentAt) +
    rawHeader("Message-ID", `<${recipient.messageId}>`);
  if (unsubscribe !== null) mail += rawHeader("List-Unsubscribe", unsubscribe[0] + token + unsubscribe[1]);
  for (const [name, value] of recipient.headers ?? []) mail += header(name, value);
  mail += compiled.headers + (texts[0] ?? "");
  for (const [index, slot] of order.entries()) mail += (values[slot] ?? "") + (texts[index + 1] ?? "");
  return Buffer.from(mail, "latin1");
}
