import { type CryptoKey, importJWK, importPKCS8, SignJWT } from "jose";
import type { PushCredential } from "./schema.ts";
import { vapidJwk } from "./vapid.ts";

export type SigningKey = { alg: "ES256" | "RS256"; key: CryptoKey };

const KINDS = {
  apns: { alg: "ES256", fault: "must be an EC P-256 private key, as PEM (PKCS#8): the .p8 file" },
  fcm: { alg: "RS256", fault: "must be an RSA private key of 2048 bits or more, as PEM (PKCS#8)" },
  webpush: { alg: "ES256", fault: "must be a private key of P-256, as 32 bytes in base64url" },
} as const;

async function vapidSigningKey(privateKey: string): Promise<CryptoKey> {
  const jwk = vapidJwk(privateKey);
  if (jwk === null) throw new Error("no key of P-256");
  const key = await importJWK(jwk, "ES256");
  if (key instanceof Uint8Array) throw new Error("a secret, not a key pair");
  return key;
}

/**
 * The key of a credential, after a test that it can sign. A fault completes a sentence about `privateKey`, and repeats none of it.
 */
export async function readSigningKey({
  provider,
  privateKey,
}: Pick<PushCredential, "provider" | "privateKey">): Promise<SigningKey | { fault: string }> {
  const { alg, fault } = KINDS[provider];
  try {
    const key =
      provider === "webpush" ? await vapidSigningKey(privateKey) : await importPKCS8(privateKey.trim(), alg);
    await new SignJWT({}).setProtectedHeader({ alg }).sign(key);
    return { alg, key };
  } catch {
    return { fault };
  }
}
