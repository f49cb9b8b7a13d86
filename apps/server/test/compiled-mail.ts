import { createHmac } from "node:crypto";
import { type ParsedMail, simpleParser } from "mailparser";
import type { EmailMessage } from "../src/features/content/email/message.pure.ts";
import {
  compileEmail,
  type EmailOptions,
  fillEmail,
  type Recipient,
} from "../src/features/content/email/public.ts";

export const PUBLIC_URL = "https://mail.example";
export const TOKEN = `tok_${"x".repeat(60)}-`;

export const signTarget = (url: string): string =>
  createHmac("sha256", "a key").update(url).digest().subarray(0, 16).toString("base64url");

/** Options of a mail that counts nothing and has no footer. */
export const BARE: EmailOptions = {
  from: { name: null, address: "news@shop.example" },
  postalAddress: "",
  publicUrl: PUBLIC_URL,
  track: { opens: false, clicks: false },
  signTarget,
  unsubscribable: false,
};

export const TRACKED: EmailOptions = {
  ...BARE,
  from: { name: "The shop", address: "news@shop.example" },
  postalAddress: "Shop Ltd\n1 High Street <2nd floor>",
  track: { opens: true, clicks: true },
  unsubscribable: true,
};

export type Mail = ParsedMail & { raw: string; htmlPart: string; textPart: string };

/** Fills in a mail for a user with these traits, and reads it as a mail program does. */
export async function mailOf(
  message: Partial<EmailMessage>,
  traits: Record<string, unknown> = {},
  options: EmailOptions = BARE,
  recipient: Partial<Recipient> = {},
): Promise<Mail> {
  const compiled = compileEmail({ subject: "Hello", body: "Hello", ...message }, options);
  const raw = fillEmail(compiled, {
    address: "ada@home.example",
    person: { id: "u-1", traits },
    token: TOKEN,
    messageId: "m1@shop.example",
    sentAt: Date.UTC(2026, 7, 22, 10, 0, 5),
    ...recipient,
  });
  const parsed = await simpleParser(raw, { skipTextLinks: true, skipTextToHtml: true });
  const htmlPart = typeof parsed.html === "string" ? parsed.html : "";
  return Object.assign(parsed, { raw: raw.toString("latin1"), htmlPart, textPart: parsed.text ?? "" });
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
};

/** Text of HTML that we wrote: only these five are ever escaped. */
export const unescapeHtml = (html: string): string =>
  html.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? "");

/** What stands between the tags `<name …>` and `</name>`, the first time. */
export const inside = (html: string, name: string): string =>
  new RegExp(`<${name}(?: [^>]*)?>([\\s\\S]*?)</${name}>`).exec(html)?.[1] ?? "";
