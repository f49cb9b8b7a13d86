import { type CryptoKey, importPKCS8, SignJWT } from "jose";
import type { PushCredential } from "./schema.ts";

export type SigningKey = { alg: "ES256" | "RS256"; key: CryptoKey };

const KINDS = {
  apns: { alg: "ES256", fault: "must be an EC P-256 private key, as PEM (PKCS#8): the .p8 file" },
  fcm: { alg: "RS256", fault: "must be an RSA private key of 2048 bits or more, as PEM (PKCS#8)" },
} as const;

/**
 * The key of a credential, after a test that it can sign. A fault completes a sentence about `privateKey`, and repeats none of it.
 */
export async function readSigningKey({
  provider,
  privateKey,
}: Pick<PushCredential, "provider" | "privateKey">): Promise<SigningKey | { fault: string }> {
  const { alg, fault } = KINDS[provider];
  try {
    const key = await importPKCS8(privateKey.trim(), alg);
    await new SignJWT({}).setProtectedHeader({ alg }).sign(key);
    return { alg, key };
  } catch {
    return { fault };
  }
}
