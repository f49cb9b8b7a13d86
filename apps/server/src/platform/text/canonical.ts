import { hash } from "node:crypto";
import canonicalize from "canonicalize";

/**
 * The one text of a JSON value (RFC 8785): keys in the order of their UTF-16 units, no white space, numbers as JavaScript writes them.
 * @throws Error for what JSON cannot say: undefined, a number that is not finite, half of a surrogate pair
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("There is no JSON of this value.");
  return text;
}

/** The SHA-256 of `before` followed by the canonical JSON of a value, in UTF-8, as 64 hexadecimal digits. */
export const canonicalHash = (value: unknown, before = ""): string =>
  hash("sha256", before + canonicalJson(value), "hex");

/** Whether two values are the same JSON, whatever the order of keys; `undefined` is no value. */
export const isSameJson = (one: unknown, other: unknown): boolean =>
  canonicalHash({ value: one }) === canonicalHash({ value: other });
