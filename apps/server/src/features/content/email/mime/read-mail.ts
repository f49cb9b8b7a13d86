import { beginningOf } from "@tidings/client/text";
import type { AddressObject, ParsedMail } from "mailparser";

/** Bytes of a mail that are read: Tidings writes none as long. */
const MAX_RAW = 2_000_000;
const MAX_TEXT = 200_000;
const MAX_HEADERS = 100;
const MAX_LINE = 4_000;

/** A mail as it is shown; what cannot be read is null. */
export type ShownMail = {
  from: string | null;
  to: string | null;
  subject: string | null;
  headers: readonly { name: string; value: string }[];
  html: string | null;
  text: string | null;
};

const OPTIONS = { skipHtmlToText: true, skipTextToHtml: true, skipTextLinks: true, skipImageLinks: true };

const textOf = (found: AddressObject | AddressObject[] | undefined): string | null =>
  beginningOf(
    [found ?? []]
      .flat()
      .map(({ text }) => text)
      .join(", "),
    MAX_LINE,
  ) || null;

function cut(text: string | false | undefined, max: number): string | null {
  if (typeof text !== "string" || text === "") return null;
  const begun = beginningOf(text, max);
  return begun.length < text.length ? `${begun} …` : begun;
}

/** The header lines, with folded lines joined (RFC 5322, 2.2.3). */
const headersOf = ({ headerLines }: ParsedMail): ShownMail["headers"] =>
  headerLines.slice(0, MAX_HEADERS).map(({ key, line }) => {
    const colon = line.indexOf(":");
    const [name, value] = colon < 0 ? [key, line] : [line.slice(0, colon), line.slice(colon + 1)];
    return {
      name,
      value: beginningOf(value.replace(/\r?\n[ \t]+/g, " ").trim(), MAX_LINE),
    };
  });

/** Reads a mail, or its beginning. Never throws: what cannot be parsed is null. */
export async function readMail(raw: Buffer): Promise<ShownMail> {
  try {
    // Loaded with the first mail that is shown: it is a tenth of what a start loads.
    const { simpleParser } = await import("mailparser");
    const mail = await simpleParser(raw.subarray(0, MAX_RAW), OPTIONS);
    return {
      from: textOf(mail.from),
      to: textOf(mail.to),
      subject: cut(mail.subject, MAX_LINE),
      headers: headersOf(mail),
      html: cut(mail.html, MAX_RAW),
      text: cut(mail.text, MAX_TEXT),
    };
  } catch {
    return { from: null, to: null, subject: null, headers: [], html: null, text: null };
  }
}

/** The headers at the beginning of a mail, without the part of its body that follows. */
export function headersAlone(head: Buffer): Buffer {
  const end = [head.indexOf("\r\n\r\n"), head.indexOf("\n\n")].filter((at) => at >= 0);
  return head.subarray(0, Math.min(...end, head.length));
}
