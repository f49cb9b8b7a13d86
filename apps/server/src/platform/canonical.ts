import { hash } from "node:crypto";
import canonicalize from "canonicalize";

/** SHA-256, in hex, of the canonical JSON of a value (RFC 8785): the same for everyone who writes the same value, in whatever order. */
export function canonicalHash(value: unknown): string {
  const json = canonicalize(value);
  if (json === undefined) throw new TypeError("Only what JSON can say has a canonical form.");
  return hash("sha256", json);
}
