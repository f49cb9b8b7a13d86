import { createHmac } from "node:crypto";
import { isSameText, type Secrets } from "../../platform/secrets/secrets.ts";
import { DAY_MS } from "../../platform/time/clock.ts";

/** So long the address that a start prints opens the outbox; the next start prints another. */
const LASTS_MS = 7 * DAY_MS;

const signed = (secrets: Secrets, until: string): string =>
  `${until}.${createHmac("sha256", secrets.derive("entry to the demo")).update(until).digest("base64url")}`;

/**
 * What opens the outbox and the experiment without an account: the start of the server prints it. It is made of the instant until which it is
 * good and the proof that a server with this secret key has made it, so that every process knows it.
 */
export const makeEntryToken = (secrets: Secrets, now: number): string =>
  signed(secrets, (now + LASTS_MS).toString(36));

/** For how many milliseconds a token is still good; 0 for one that has ended, or that this server did not make. */
export function goodFor(secrets: Secrets, token: string, now: number): number {
  const [until = ""] = token.split(".");
  const left = Number.parseInt(until, 36) - now;
  // One that was made while the clock was ahead must not last longer than others.
  return isSameText(token, signed(secrets, until)) && left > 0 && left <= LASTS_MS ? left : 0;
}
