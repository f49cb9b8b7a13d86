import { createECDH } from "node:crypto";

const CURVE = "prime256v1";
const KEY_BYTES = 32;

/** A new VAPID key: a private key of P-256, 32 bytes in base64url. */
export function newVapidKey(): string {
  const key = createECDH(CURVE);
  key.generateKeys();
  // Node leaves out the zeros at the beginning.
  const bytes = key.getPrivateKey();
  return Buffer.concat([Buffer.alloc(KEY_BYTES - bytes.length), bytes]).toString("base64url");
}

/** What browsers subscribe with: the public key of a VAPID key, 65 bytes in base64url; null where the private key is none. */
export function applicationServerKeyOf(privateKey: string): string | null {
  try {
    const key = createECDH(CURVE);
    key.setPrivateKey(privateKey, "base64url");
    return key.getPublicKey("base64url");
  } catch {
    return null;
  }
}

/** A VAPID key as a JSON Web Key (RFC 7518, 6.2); null where it is none. */
export function vapidJwk(
  privateKey: string,
): { kty: "EC"; crv: "P-256"; d: string; x: string; y: string } | null {
  const shown = applicationServerKeyOf(privateKey);
  if (shown === null) return null;
  const point = Buffer.from(shown, "base64url");
  const x = point.subarray(1, 1 + KEY_BYTES).toString("base64url");
  const y = point.subarray(1 + KEY_BYTES).toString("base64url");
  return { kty: "EC", crv: "P-256", d: privateKey, x, y };
}
