import { hash, randomBytes } from "node:crypto";
import type { KeyKind } from "../../platform/http/endpoint.ts";

const PREFIX: Readonly<Record<KeyKind, string>> = {
  publishable: "pk_pub_",
  secret: "pk_",
  agent: "pk_agent_",
};
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LENGTH = 32;
const FORM = /^pk_(pub_|agent_)?[0-9A-Za-z]{32}$/;

/** A new key: 32 characters of 62, 190 bits. No underscore inside, so that a prefix can never be mistaken. */
export function newToken(kind: KeyKind): string {
  let secret = "";
  while (secret.length < LENGTH) {
    // Bytes of 248 and above would make the first letters of the alphabet likelier.
    for (const byte of randomBytes(LENGTH))
      if (byte < 248 && secret.length < LENGTH) secret += ALPHABET[byte % 62];
  }
  return PREFIX[kind] + secret;
}

export const hasTokenForm = (token: string): boolean => FORM.test(token);

/** What is stored of a key. Keys are random, so a plain hash suffices: there is no dictionary to try. */
export const tokenDigest = (token: string): Buffer => hash("sha256", token, "buffer");
