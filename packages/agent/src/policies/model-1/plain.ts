/** A JSON object. */
export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Deeper ones say nothing that is read here, and would be walked through again and again. */
const MAX_DEPTH = 40;
const NUL = "\u0000";

const isPlainText = (text: string): boolean => !text.includes(NUL) && text.isWellFormed();

/** Whether a value that was parsed can be written as JSON again, hashed and stored: no broken text, no infinite number, not too deep. */
export function isPlain(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return isPlainText(value);
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth === MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((each) => isPlain(each, depth + 1));
  return Object.entries(value).every(
    ([key, each]) => key !== "__proto__" && isPlainText(key) && isPlain(each, depth + 1),
  );
}

/** A text that can be stored, whatever it was. */
export const plainText = (text: string): string => text.replaceAll(NUL, "\ufffd").toWellFormed();

export const bytesOf = (text: string): number => Buffer.byteLength(text);

/** The beginning of a text, at most so many bytes of UTF-8. */
export function cutText(text: string, bytes: number): string {
  if (bytesOf(text) <= bytes) return text;
  // A character that is cut in two reads as a replacement character, which may be longer than what was left of it.
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, "");
}

/** Parses, and answers undefined for what is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
