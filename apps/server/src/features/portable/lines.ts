import { createHash } from "node:crypto";
import { readsBack } from "../../platform/text/exact-json.ts";
import { unmarked } from "../../platform/text/text.ts";
import { PortableError } from "./portable-error.ts";

/** The longest line: an image of 4 MiB in base64, and room for the rest. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/** A line of a file. `digest` is the SHA-256 of all bytes before it, until the next line is asked for. */
export type FileLine = { number: number; text: string; digest: () => string };

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x0d || byte === 0x20);

function refuseWide(): never {
  throw new PortableError("The file is UTF-16 or UTF-32: save it as UTF-8");
}

/**
 * The lines of a file, one after the other, with at most one in memory. @throws PortableError for a line that is too long, is not
 * UTF-8, or does not end
 */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<FileLine> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const hash = createHash("sha256");
  let number = 1;
  let begun: Buffer[] = [];
  let begunBytes = 0;
  const line = (bytes: Buffer): FileLine => {
    try {
      return { number, text: decoder.decode(bytes), digest: () => hash.copy().digest("hex") };
    } catch (cause) {
      throw new PortableError(`Line ${number} is not UTF-8`, { cause });
    }
  };
  // The checksum in the file does not count a mark, since what wrote the file wrote none.
  for await (const chunk of unmarked(source, refuseWide)) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const bytes = Buffer.concat([...begun, chunk.subarray(from, at)]);
      yield line(bytes);
      hash.update(bytes).update("\n");
      number++;
      begun = [];
      begunBytes = 0;
      from = at + 1;
    }
    begun.push(chunk.subarray(from));
    begunBytes += chunk.length - from;
    if (begunBytes > MAX_LINE_BYTES)
      throw new PortableError(`Line ${number} is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB`);
  }
  const rest = Buffer.concat(begun);
  if (!isBlank(rest)) throw new PortableError(`Line ${number} is cut off: the file is not whole`);
}

/** Matches numbers that JavaScript may round: long ones, those with an exponent, and what may stand behind very many blanks. */
const MAY_BE_ROUNDED = /[:[,]\s{0,64}-?(?:[\d.]{16}|\d[\d.]{0,14}[eE])|\s{65}/;

type RawNumber = { rawJSON: string };
type RawJson = { rawJSON(text: string): unknown; isRawJSON(value: unknown): value is RawNumber };
/** TC39's JSON.rawJSON, which Node has and TypeScript's library does not name yet. */
const { rawJSON, isRawJSON } = JSON as unknown as RawJson;
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/** Keeps the text of a number that JavaScript would round. */
const exact: Reviver = (_, value, { source }) =>
  typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value;

/** Parses JSON without rounding any number, so that writing it again gives the same numbers. @throws SyntaxError */
export const parseExactly = (text: string): unknown =>
  JSON.parse(text, MAY_BE_ROUNDED.test(text) ? (exact as Parameters<typeof JSON.parse>[1]) : undefined);

/** Whether a value of `parseExactly`, or something within it, is a number that is another one when it is read as a double. */
export function isRoundedWhenRead(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isRawJSON(value) ? !readsBack(value.rawJSON) : Object.values(value).some(isRoundedWhenRead);
}
