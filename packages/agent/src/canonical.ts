import { createHash } from "node:crypto";
import canonicalize from "canonicalize";

/** The one text of a JSON value (RFC 8785). @throws Error for what JSON cannot say */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("There is no JSON of this value.");
  return text;
}

/** SHA-256 of `before` followed by the canonical JSON of a value, in UTF-8, as 64 hexadecimal digits. */
export const canonicalHash = (value: unknown, before = ""): string =>
  createHash("sha256").update(before).update(canonicalJson(value)).digest("hex");
