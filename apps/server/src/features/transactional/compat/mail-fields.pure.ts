import { z } from "zod";
import { jsonObject } from "../../../platform/http/contract/fields.ts";
import { readInstant } from "../../../platform/http/contract/instants.ts";
import { MAX_RECEIPT_DATA } from "../../content/email/receipt/message.pure.ts";
import { decodeBase64 } from "../base64.pure.ts";
import type { NamedAddress } from "../request.pure.ts";
import { readMailbox, splitMailboxes } from "./mailboxes.pure.ts";

/** Recipients of one mail, in To, Cc and Bcc together: what both services allow. */
export const MOST_RECIPIENTS = 50;
/** Headers of its own that a mail may have. */
export const MOST_HEADERS = 50;
/** Characters of a list of recipients, each with a long name. */
const MAX_LIST = 20_000;
const MAILBOX = "must be an address such as ada@example.com or Ada <ada@example.com>";

/** A text that a mail may have on one line of its header. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,76}$/;
const MAX_HEADER = 998;

/** One mailbox. */
export const mailbox = z.string().transform((typed, ctx): NamedAddress => {
  const read = readMailbox(typed);
  if (read !== null) return read;
  ctx.issues.push({ code: "custom", message: MAILBOX, input: typed });
  return z.NEVER;
});

/** Mailboxes as a text with commas, or as a list of such texts. */
export const mailboxes = z
  .union([z.string().max(MAX_LIST), z.array(z.string().max(MAX_LIST)).max(MOST_RECIPIENTS)], {
    error: "must be an address, or a list of at most 50 addresses",
  })
  .transform((given, ctx): NamedAddress[] => {
    const texts = typeof given === "string" ? splitMailboxes(given) : given.flatMap(splitMailboxes);
    if (texts.length > MOST_RECIPIENTS) {
      const message = `must have at most ${MOST_RECIPIENTS} addresses`;
      ctx.issues.push({ code: "custom", message, input: given });
      return z.NEVER;
    }
    return texts.flatMap((text) => {
      const read = readMailbox(text);
      if (read === null) ctx.issues.push({ code: "custom", message: MAILBOX, input: given });
      return read ?? [];
    });
  });

/** The rule that a mail breaks by the number of its recipients; null for none. */
export function faultOfRecipients(
  to: readonly NamedAddress[],
  cc: readonly NamedAddress[],
  bcc: readonly NamedAddress[],
): string | null {
  if (to.length === 0) return "must have an address";
  return to.length + cc.length + bcc.length > MOST_RECIPIENTS
    ? `must have at most ${MOST_RECIPIENTS} addresses, together with copies`
    : null;
}

/** The bytes of a text in base64, which blanks may break. */
export const base64 = z.string().transform((text, ctx): Buffer => {
  const bytes = decodeBase64(/\s/.test(text) ? text.replaceAll(/\s/g, "") : text);
  if (bytes !== null && bytes.length > 0) return bytes;
  ctx.issues.push({ code: "custom", message: "must be a file in base64, and not empty", input: text });
  return z.NEVER;
});

/** The subject of a mail that code has written. */
export const subject = z.string().max(900);

/** HTML or text of a mail that code has written. */
export const written = z.string().max(500_000);

/** What a template is filled with, as compact JSON. */
export const templateData = jsonObject(MAX_RECEIPT_DATA);

/** The name of a header of a mail. */
export const headerName = z
  .string()
  .refine((name) => HEADER_NAME.test(name), "must be the name of a header, such as X-Entity-Ref-ID");

/** What a header of a mail says. */
export const headerValue = z
  .string()
  .max(MAX_HEADER)
  .refine((value) => !/\p{Cc}/u.test(value), "must be on one line");

/** When to send, in epoch milliseconds. */
export const sendAt = z.string().transform((given, ctx): number => {
  const read = readInstant(given);
  if ("ms" in read) return read.ms;
  const message =
    "must be an ISO-8601 date-time with an offset, such as 2026-01-31T09:00:00Z: no other words are read";
  ctx.issues.push({ code: "custom", message, input: given });
  return z.NEVER;
});
