import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
/** Standard Webhooks 1.0.0 asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** A new secret as its owner gets it: `whsec_` and base64 of 32 random bytes. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString("base64");

/** What a request carries. `id` stays the same at every attempt; `at` is when this one begins (epoch ms). */
export type Signable = { id: string; at: number; body: string };

const signature = (secret: string, { id, at, body }: Signable): string =>
  createHmac("sha256", Buffer.from(secret.slice(PREFIX.length), "base64"))
    .update(`${id}.${Math.floor(at / 1_000)}.${body}`)
    .digest("base64");

/**
 * The headers by which the receiver sees that a message is from here and was not altered: Standard Webhooks 1.0.0, one signature for each secret.
 */
export const signedHeaders = (secrets: readonly string[], signable: Signable): Record<string, string> => ({
  "webhook-id": signable.id,
  "webhook-timestamp": String(Math.floor(signable.at / 1_000)),
  "webhook-signature": secrets.map((secret) => `v1,${signature(secret, signable)}`).join(" "),
});
