import { createHash, createHmac, createPublicKey, type KeyObject, verify } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { isSameProof } from "../../../../platform/secrets/secrets.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../../platform/time/clock.ts";

/** What a report is verified by; `secret` is what the project has set for its provider, `now` epoch milliseconds. */
export type Signed = { headers: IncomingHttpHeaders; body: Buffer; secret: string; now: number };

/** Providers try again for a day, some hours of it with the first signature. */
const SENDGRID_MAX_AGE = DAY_MS + 2 * HOUR_MS;
/** Mailgun tries again for 8 hours and 5 minutes, and does not say whether it signs anew; 15 minutes are for the way. */
export const MAILGUN_MAX_AGE = 8 * HOUR_MS + 20 * MINUTE_MS;
export const SNS_MAX_AGE = DAY_MS;
/** How far a provider's clock may be ahead of ours. */
const AHEAD_MS = 10 * MINUTE_MS;

export const isRecent = (at: number, now: number, maxAge: number): boolean =>
  at > now - maxAge && at < now + AHEAD_MS;

export const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** A public key as SendGrid shows it: base64 of the DER form, without the lines around it. */
function sendGridKey(secret: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(secret, "base64"), format: "der", type: "spki" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : null;
  } catch {
    return null;
  }
}

/** SendGrid's signed event webhook: ECDSA over P-256 with SHA-256, of the timestamp and the body as it came. */
export function isFromSendGrid({ headers, body, secret, now }: Signed): boolean {
  const timestamp = headers["x-twilio-email-event-webhook-timestamp"];
  const signature = headers["x-twilio-email-event-webhook-signature"];
  if (typeof timestamp !== "string" || typeof signature !== "string") return false;
  if (!/^\d{1,12}$/.test(timestamp) || !isRecent(Number(timestamp) * 1_000, now, SENDGRID_MAX_AGE))
    return false;
  const key = sendGridKey(secret);
  if (key === null) return false;
  const signed = Buffer.concat([Buffer.from(timestamp), body]);
  return verify("sha256", signed, { key, dsaEncoding: "der" }, Buffer.from(signature, "base64"));
}

const MailgunSignature = z.object({
  signature: z.object({
    timestamp: z.coerce.string().regex(/^\d{1,12}$/),
    token: z.string().max(200),
    signature: z.string().regex(/^[0-9a-f]{64}$/),
  }),
});

/**
 * Mailgun's webhooks: HMAC-SHA-256 of timestamp and token, beside the event in the body. Answers what was signed, null where Mailgun
 * did not sign it. The signature does not cover the event, so a token is valid only for the event that it came with first.
 */
export function tokenOfMailgun(
  event: unknown,
  { secret, now }: Pick<Signed, "secret" | "now">,
): string | null {
  const parsed = MailgunSignature.safeParse(event);
  if (!parsed.success) return null;
  const { timestamp, token, signature } = parsed.data.signature;
  if (!isRecent(Number(timestamp) * 1_000, now, MAILGUN_MAX_AGE)) return null;
  const expected = createHmac("sha256", secret)
    .update(timestamp + token)
    .digest();
  return isSameProof(expected, Buffer.from(signature, "hex")) ? timestamp + token : null;
}

/** Postmark signs nothing: its webhooks carry a password (HTTP Basic, RFC 7617), under any name. */
export function isFromPostmark({ headers, secret }: Pick<Signed, "headers" | "secret">): boolean {
  const [, encoded] = /^basic ([a-z0-9+/]+=*)$/i.exec(headers.authorization ?? "") ?? [];
  if (encoded === undefined) return false;
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, "base64").toString("utf8")) ?? [];
  return password !== undefined && isSameProof(digest(password), digest(secret));
}

/** What Amazon SNS posts (Developer Guide, "HTTP/HTTPS notification JSON format"). */
export const SnsMessage = z.object({
  Type: z.enum(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
  MessageId: z.string(),
  TopicArn: z.string(),
  Subject: z.string().nullish(),
  Message: z.string(),
  Timestamp: z.string(),
  Token: z.string().optional(),
  SubscribeURL: z.string().optional(),
  SignatureVersion: z.enum(["1", "2"]),
  Signature: z.string(),
  SigningCertURL: z.string(),
});
export type SnsMessage = z.output<typeof SnsMessage>;

/** What SNS signs: names and values, each on a line, by name ("Verifying the signatures of Amazon SNS messages"). */
export function snsStringToSign(message: SnsMessage): string {
  const names =
    message.Type === "Notification"
      ? (["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"] as const)
      : (["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"] as const);
  return names
    .filter((name) => message[name] != null)
    .map((name) => `${name}\n${message[name]}\n`)
    .join("");
}

/** Signature version 1 is RSA with SHA-1, version 2 with SHA-256 (both PKCS #1 v1.5). */
export function isSignedBySns(message: SnsMessage, key: KeyObject): boolean {
  const algorithm = message.SignatureVersion === "1" ? "sha1" : "sha256";
  return (
    key.asymmetricKeyType === "rsa" &&
    verify(algorithm, Buffer.from(snsStringToSign(message)), key, Buffer.from(message.Signature, "base64"))
  );
}
