import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Secrets } from "../../platform/secrets.ts";

/** A new identity secret: 32 random bytes in hex. The text itself is the key, so that no server has to decode it. */
export const newIdentitySecret = (): string => randomBytes(32).toString("hex");

/** What an identity secret is bound to. */
export const identitySealedAs = (projectId: string): string => `identity secret ${projectId}`;

export const sealIdentitySecret = (secrets: Secrets, projectId: string, secret: string): Buffer =>
  secrets.seal(secret, identitySealedAs(projectId));

/** @throws SealError */
export const openIdentitySecret = (secrets: Secrets, projectId: string, sealed: Buffer): string =>
  secrets.open(sealed, identitySealedAs(projectId));

const HASH = /^[0-9a-f]{64}$/i;

/**
 * Tells the hash of a user, HMAC-SHA-256 of the UTF-8 bytes of their id in hex, from all others, in a time that says nothing of
 * the right one. Any of the identity secrets will do; where there is none, nothing is right.
 */
export function identityJudge(secrets: readonly string[]): (userId: string, userHash: string) => boolean {
  return (userId, userHash) => {
    if (!HASH.test(userHash)) return false;
    const given = Buffer.from(userHash, "hex");
    return secrets.some((secret) =>
      timingSafeEqual(createHmac("sha256", secret).update(userId, "utf8").digest(), given),
    );
  };
}
