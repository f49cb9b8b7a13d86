import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Secrets } from "../../../platform/secrets/secrets.ts";

/** A new identity secret: 32 random bytes in hex. The text itself is the key, so that no server has to decode it. */
export const newIdentitySecret = (): string => randomBytes(32).toString("hex");

/** The place to which a sealed identity secret is bound. */
export const identitySealedAs = (projectId: string): string => `identity secret ${projectId}`;

export const sealIdentitySecret = (secrets: Secrets, projectId: string, secret: string): Buffer =>
  secrets.seal(secret, identitySealedAs(projectId));

/** @throws SealError */
export const openIdentitySecret = (secrets: Secrets, projectId: string, sealed: Buffer): string =>
  secrets.open(sealed, identitySealedAs(projectId));

const HASH = /^[0-9a-f]{64}$/i;

/**
 * A hash with an end: `v1.<epoch milliseconds>.<hex>`, where the hex is made of the user id, a NUL and the milliseconds. No user id has
 * a NUL, so that no user id can be chosen whose plain hash is this hash of another user.
 */
const ENDING = /^v1\.([1-9]\d{0,14})\.([0-9a-f]{64})$/i;

/** The text that a user hash was made of, with the hash; null where it has no form of a hash, or its end has come. */
function readHash(userId: string, userHash: string, now: number): { text: string; hex: string } | null {
  if (HASH.test(userHash)) return { text: userId, hex: userHash };
  const [, end, hex] = ENDING.exec(userHash) ?? [];
  return end === undefined || hex === undefined || Number(end) <= now
    ? null
    : { text: `${userId}\0${end}`, hex };
}

/**
 * Whether a hash proves a user: HMAC-SHA-256 of the UTF-8 bytes of their id in hex, or the form with an end. Compared in constant time.
 * Made with any of the identity secrets; where there is none, no hash proves anything.
 */
export function identityJudge(
  secrets: readonly string[],
): (userId: string, userHash: string, now: number) => boolean {
  return (userId, userHash, now) => {
    const read = readHash(userId, userHash, now);
    if (read === null) return false;
    const given = Buffer.from(read.hex, "hex");
    return secrets.some((secret) =>
      timingSafeEqual(createHmac("sha256", secret).update(read.text, "utf8").digest(), given),
    );
  };
}
