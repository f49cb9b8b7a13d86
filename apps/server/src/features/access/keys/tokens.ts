import { hash, randomBytes } from "node:crypto";
import type { KeyKind } from "../../../platform/http/contract/endpoint.ts";

const PREFIX: Readonly<Record<KeyKind, string>> = {
  publishable: "pk_pub_",
  secret: "pk_",
  agent: "pk_agent_",
  send: "pk_send_",
};
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LENGTH = 32;
const FORM = /^pk_(pub_|agent_|send_)?[0-9A-Za-z]{32}$/;

/** A new key: its prefix, then 32 characters of 62, which are 190 bits. They have no underscore, so that the prefix is unambiguous. */
export function newToken(kind: KeyKind): string {
  let secret = "";
  while (secret.length < LENGTH) {
    // Bytes of 248 and above are skipped: 256 is no multiple of 62, and the first characters would come more often.
    for (const byte of randomBytes(LENGTH))
      if (byte < 248 && secret.length < LENGTH) secret += ALPHABET[byte % 62];
  }
  return PREFIX[kind] + secret;
}

/** The last characters of a key, by which people tell it from others: far too few to guess the rest. */
export const endingOf = (token: string): string => token.slice(-4);

export const hasTokenForm = (token: string): boolean => FORM.test(token);

/** The hash of a key, which is stored in its place. Keys are random and cannot be guessed, so a plain hash suffices. */
export const tokenDigest = (token: string): Buffer => hash("sha256", token, "buffer");
