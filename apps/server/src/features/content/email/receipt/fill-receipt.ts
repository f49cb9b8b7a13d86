import {
  type FilledText,
  fillReceiptText,
  parseReceiptText,
  type ReceiptText,
  type ReceiptValues,
} from "../../template/receipt-text.pure.ts";
import { withoutTrait } from "../../template/words.pure.ts";
import { lexTemplate, markdownFault } from "../html/markdown.pure.ts";
import { isBlank } from "../message.pure.ts";
import type { EmailButton, WrittenEmail } from "../written-email.ts";
import { type AddressFault, readReceiptTarget, writeLeads } from "./addresses.pure.ts";
import type { ReceiptMessage } from "./message.pure.ts";

/** A receipt whose texts have their values. */
export type FilledReceipt = { subject: string; email: WrittenEmail };

/** `field` is one of the message: `subject`, `previewText`, `body`, `cta.label` or `cta.url`. */
export type ReceiptRefusal =
  /** `path` has no value, and the text no default for it. */
  | { missing: { field: string; path: string } }
  /** What is at `path` cannot be used there: `message` is the end of a sentence about it. */
  | { wrong: { field: string; path: string; message: string } };

/** Characters of a subject with its values. */
const MAX_SUBJECT = 1_000;

class Refused extends Error {
  readonly refusal: ReceiptRefusal;

  constructor(refusal: ReceiptRefusal) {
    super("A receipt that cannot be filled in.");
    this.refusal = refusal;
  }
}

type Texts = {
  subject: ReceiptText;
  previewText: ReceiptText;
  body: ReceiptText;
  cta: { label: ReceiptText; url: ReceiptText } | null;
};

/** Parses a text whose faults were ruled out when the message was saved. Throws where they were not. */
function sound(source: string): ReceiptText {
  const text = parseReceiptText(source, "stored");
  if ("fault" in text) throw new Error(`A message that was never checked: ${text.fault}`);
  return text;
}

/** Texts of messages that are used again and again, as long as their message is kept. */
const parsedTexts = new WeakMap<ReceiptMessage, Texts>();

function textsOf(message: ReceiptMessage): Texts {
  const known = parsedTexts.get(message);
  if (known !== undefined) return known;
  const { cta } = message;
  const texts = {
    subject: sound(message.subject),
    previewText: sound((message.previewText ?? "").trim()),
    body: sound(message.body),
    cta: cta === undefined ? null : { label: sound(cta.label.trim()), url: sound(cta.url) },
  };
  parsedTexts.set(message, texts);
  return texts;
}

const wordsOf = ({ parts }: FilledText): string =>
  parts.map((part) => (typeof part === "string" ? part : withoutTrait(part))).join("");

const refuse = (field: string, { path, message }: AddressFault): never => {
  throw new Refused({ wrong: { field, path, message } });
};

function filledText(field: string, text: ReceiptText, values: ReceiptValues): FilledText {
  const filled = fillReceiptText(text, values);
  if ("missing" in filled) throw new Refused({ missing: { field, path: filled.missing } });
  return "tooMuch" in filled ? refuse(field, { path: "data", message: filled.tooMuch }) : filled;
}

/** The same for a text that has to say something. */
function fullText(field: string, text: ReceiptText, values: ReceiptValues): FilledText {
  const filled = filledText(field, text, values);
  if (!isBlank(wordsOf(filled))) return filled;
  const first = filled.parts.find((part) => typeof part !== "string");
  throw new Refused({ missing: { field, path: first?.path ?? text.dataPaths[0] ?? field } });
}

function subjectOf(text: ReceiptText, values: ReceiptValues): string {
  const words = wordsOf(fullText("subject", text, values));
  const subject = words.replace(/[\p{Cc}\u2028\u2029]/gu, " ").trim();
  return subject.length > MAX_SUBJECT
    ? refuse("subject", { path: "data", message: `must come to at most ${MAX_SUBJECT} characters` })
    : subject;
}

function bodyOf(text: ReceiptText, values: ReceiptValues): WrittenEmail["body"] {
  const body = lexTemplate(fullText("body", text, values), "request");
  if ("fault" in body) return refuse("body", { path: "data", message: body.fault });
  const lead = writeLeads(body, ({ fallback }) => fallback);
  if (lead !== null) return refuse("body", lead);
  const fault = markdownFault(body);
  return fault === null ? body : refuse("body", { path: "data", message: fault });
}

function buttonOf(cta: Texts["cta"], values: ReceiptValues): EmailButton | null {
  if (cta === null) return null;
  const label = fullText("cta.label", cta.label, values);
  const target = readReceiptTarget(filledText("cta.url", cta.url, values), ({ fallback }) => fallback);
  return { label, target: "message" in target ? refuse("cta.url", target) : target };
}

/**
 * Fills a receipt in, or says why these values do not suffice. The message must have passed `ReceiptMessage`; its texts are parsed once for
 * as long as the same object is passed.
 */
export function fillReceipt(message: ReceiptMessage, values: ReceiptValues): FilledReceipt | ReceiptRefusal {
  try {
    const texts = textsOf(message);
    const subject = subjectOf(texts.subject, values);
    const email = {
      subject: { parts: [subject] },
      preview: filledText("previewText", texts.previewText, values),
      body: bodyOf(texts.body, values),
      button: buttonOf(texts.cta, values),
    };
    return { subject, email };
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}
