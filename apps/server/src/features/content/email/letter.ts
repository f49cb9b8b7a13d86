import {
  type Field,
  fillField,
  isStatic,
  type Person,
  parseTemplate,
  type Template,
} from "../template/template.pure.ts";
import { dateHeader, fromHeader, header, rawHeader, textHeader, toHeader } from "./headers.ts";
import { writeHtml } from "./html.ts";
import { directionOf, languageOf } from "./language.ts";
import { layOut } from "./layout.ts";
import { type Body, parseBody } from "./markdown.pure.ts";
import { createMarks } from "./marks.ts";
import type { EmailMessage } from "./message.pure.ts";
import { createPen, fillSlot, type Links, type Pen, type Slot } from "./pen.ts";
import { writePlain } from "./plain.ts";
import { encodeStatic, encodeValue } from "./quoted-printable.ts";
import { readTarget, type Target } from "./target.ts";

type Headers = readonly (readonly [name: string, value: string])[];

/** All that is the same for every recipient of a message. */
export type LetterOptions = {
  from: { name: string | null; address: string };
  /** Of the company, with line breaks where it has them. */
  postalAddress: string;
  /** Origin of our own pages, without a slash at its end. */
  publicUrl: string;
  track: { opens: boolean; clicks: boolean };
  /** Signature of where a click leads, in base64url. */
  signTarget: (url: string) => string;
  headers?: Headers;
  /** Whether the mail can be unsubscribed from; false for a test. */
  unsubscribable: boolean;
};

/** Whom a mail goes to. `token` is URL-safe; `messageId` stands without angle brackets; `sentAt` is in epoch milliseconds. */
export type Recipient = {
  address: string;
  person: Person;
  token: string;
  messageId: string;
  sentAt: number;
  headers?: Headers;
};

/** A message, ready to be filled in for any number of recipients. */
export type Letter = {
  from: string;
  /** The whole header, or what it is made of for each recipient. */
  subject: string | Template;
  /** Headers that are the same for all. */
  headers: string;
  /** Address of the unsubscribe page, before and after the token; null without one. */
  unsubscribe: readonly [before: string, after: string] | null;
  slots: readonly Slot[];
  /** The encoded body: a text, then for each entry of `order` that slot and the next text. */
  texts: readonly string[];
  order: readonly number[];
  signTarget: (url: string) => string;
};

/** No encoded text contains it: there, "=" is followed by a hexadecimal digit or the end of the line. */
const BOUNDARY = "=_tidings";

const CONTENT_TYPE = `MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary="${BOUNDARY}"\r\n`;

const partHead = (type: string): string =>
  `--${BOUNDARY}\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`;

/** What was checked when the message was saved; a letter is made of nothing else. */
function sound<Value extends object, Fault extends string>(value: Value | { fault: Fault }): Value {
  if ("fault" in value) throw new Error(`A message that was never checked: ${String(value.fault)}`);
  return value;
}

type Button = { label: Template; target: Target };
type Parsed = {
  message: EmailMessage;
  subject: Template;
  preview: Template;
  body: Body;
  button: Button | null;
};

function parse(message: EmailMessage): Parsed {
  const { cta } = message;
  return {
    message,
    subject: sound(parseTemplate(message.subject, "stored")),
    preview: sound(parseTemplate((message.previewText ?? "").trim(), "stored")),
    body: sound(parseBody(message.body, "stored")),
    button:
      cta === undefined
        ? null
        : {
            label: sound(parseTemplate(cta.label.trim(), "stored")),
            target: sound(readTarget(sound(parseTemplate(cta.url, "stored")).parts)),
          },
  };
}

function plainPart(parsed: Parsed, options: LetterOptions, pen: Pen): string {
  const { body, button } = parsed;
  const address = options.postalAddress.trim().replace(/\r\n?/g, "\n");
  const footer = [
    pen.text(address),
    ...(options.unsubscribable ? [`Unsubscribe: ${pen.own("unsubscribe")}`] : []),
  ].filter((line) => line !== "");
  const blocks = [
    writePlain(body, pen),
    ...(button === null ? [] : [`${pen.template(button.label)}:\n${pen.link(button.target)}`]),
    // "-- " begins a signature (RFC 3676, 4.3), which is folded away in answers.
    ...(footer.length === 0 ? [] : [`-- \n${footer.join("\n")}`]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** Static text of a template or body, without its fields. */
const staticText = (template: Template): string =>
  template.parts.filter((part) => typeof part === "string").join("");

function htmlPart(parsed: Parsed, options: LetterOptions, pen: Pen): string {
  const { message, body, button } = parsed;
  const text = staticText(sound(parseTemplate(message.body, "stored")));
  const direction = directionOf(text) ?? directionOf(staticText(parsed.subject)) ?? "ltr";
  const sheet = {
    language: languageOf(text),
    direction,
    title: pen.template(parsed.subject),
    preview: pen.template(parsed.preview),
    body: writeHtml(body, pen, direction),
    button: button && { label: pen.template(button.label), url: pen.link(button.target) },
    postalAddress: options.postalAddress,
    unsubscribes: options.unsubscribable,
    countsOpens: options.track.opens,
    countsClicks: options.track.clicks,
  };
  return layOut(sheet, pen);
}

/** Encodes texts once. What lies between the parts of the mail is ASCII already. */
function encodeBody(plain: readonly (string | Slot)[], html: readonly (string | Slot)[]) {
  const slots: Slot[] = [];
  const numbers = new Map<Slot, number>();
  const texts = [partHead("text/plain")];
  const order: number[] = [];
  const append = (text: string): void => {
    texts[texts.length - 1] += text;
  };
  const encode = (parts: readonly (string | Slot)[]): void => {
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

/**
 * Makes a message ready for sending, once: its Markdown is rendered, its static pieces are escaped and encoded. The message
 * has passed `EmailMessage`.
 */
export function compileLetter(message: EmailMessage, options: LetterOptions): Letter {
  const parsed = parse(message);
  const { publicUrl, track, signTarget, unsubscribable } = options;
  const slots = createMarks<Slot>();
  const links: Links = { publicUrl, countsClicks: track.clicks, signTarget };
  const pen = (flavour: "plain" | "html"): Pen => createPen(flavour, parsed.body.fields, slots, links);
  const plain = slots.read(plainPart(parsed, options, pen("plain")));
  const html = slots.read(htmlPart(parsed, options, pen("html")));
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

const fillTemplate = (template: Template, person: Person): string =>
  template.parts
    .map((part: string | Field) => (typeof part === "string" ? part : fillField(part, person)))
    .join("");

/**
 * The whole mail for one recipient (RFC 5322): 7-bit, CRLF, no line over 76 characters where folding is possible. Escapes and
 * encodes the fields and joins them with what is there; nothing is parsed.
 */
export function fillLetter(letter: Letter, recipient: Recipient): Buffer {
  const { subject, unsubscribe, texts, order } = letter;
  const values: string[] = [];
  for (const slot of letter.slots) values.push(encodeValue(fillSlot(slot, recipient, letter.signTarget)));
  let mail =
    letter.from +
    toHeader(recipient.address) +
    (typeof subject === "string" ? subject : textHeader("Subject", fillTemplate(subject, recipient.person))) +
    dateHeader(recipient.sentAt) +
    rawHeader("Message-ID", `<${recipient.messageId}>`);
  if (unsubscribe !== null)
    mail += rawHeader("List-Unsubscribe", unsubscribe[0] + recipient.token + unsubscribe[1]);
  for (const [name, value] of recipient.headers ?? []) mail += header(name, value);
  mail += letter.headers + (texts[0] ?? "");
  for (const [index, slot] of order.entries()) mail += (values[slot] ?? "") + (texts[index + 1] ?? "");
  return Buffer.from(mail, "latin1");
}
