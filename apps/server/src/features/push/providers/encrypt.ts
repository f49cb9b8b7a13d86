/// <reference path="./http-ece.d.ts" />
import { createECDH, type ECDH } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { encrypt } from "http_ece";
import type { BrowserSubscription } from "../../users/devices/public.ts";

/** What makes a message unlike every other: a key pair and 16 bytes, both used once. */
export type Freshness = { sender: ECDH; salt?: Buffer };

function newFreshness(): Freshness {
  const sender = createECDH("prime256v1");
  sender.generateKeys();
  return { sender };
}

/** Encrypts a payload (at most 3,993 bytes) so that only the browser of the subscription can read it (RFC 8291). */
export function encryptFor(
  { p256dh, auth }: Pick<BrowserSubscription, "p256dh" | "auth">,
  payload: string,
  { sender, salt }: Freshness = newFreshness(),
): Buffer {
  return encrypt(Buffer.from(payload), {
    version: "aes128gcm",
    privateKey: sender,
    dh: Buffer.from(p256dh, "base64url"),
    authSecret: Buffer.from(auth, "base64url"),
    ...(salt !== undefined && { salt }),
  });
}

let before: Promise<unknown> = Promise.resolve();

/**
 * Encrypts when what came before is encrypted and the requests that came meanwhile had their turn: each takes about half a
 * millisecond of the process, and hundreds are under way at once.
 */
export function encryptInTurn(subscription: BrowserSubscription, payload: string): Promise<Buffer> {
  const turn = before.then(() => setImmediate()).then(() => encryptFor(subscription, payload));
  before = turn.catch(() => undefined);
  return turn;
}
