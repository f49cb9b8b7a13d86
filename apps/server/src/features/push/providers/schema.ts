import { z } from "zod";
import type { Platform } from "../../../domain/fields.ts";
import { parsedUrl, text } from "../../../platform/http/contract/fields.ts";

const appleId = text(10, 10)
  .refine((id) => /^[A-Z0-9]*$/.test(id), "must be made of A-Z and 0-9")
  .meta({ pattern: "^[A-Z0-9]{10}$" });

/** Whether a value may stand in an address or header: printable ASCII without spaces. */
const isWord = (value: string): boolean => /^[\x21-\x7e]*$/.test(value);

const ApnsCredential = z.strictObject({
  provider: z.literal("apns").describe("Who brings the push."),
  teamId: appleId.describe("Team id at Apple."),
  keyId: appleId.describe("Id of the key at Apple."),
  topic: text(256).refine(isWord, "must be printable ASCII without spaces").describe("The app's bundle id."),
  privateKey: text(16_384).describe("The .p8 file: EC P-256, PKCS#8, PEM."),
});
export type ApnsCredential = z.infer<typeof ApnsCredential>;

const FcmCredential = z.strictObject({
  provider: z.literal("fcm").describe("Who brings the push."),
  projectId: text(63)
    .refine((id) => /^[A-Za-z0-9.:_-]*$/.test(id), "must be made of A-Z, a-z, 0-9, and . : _ -")
    .describe("Id of the project at Google."),
  clientEmail: text(256)
    .refine(isWord, "must be printable ASCII without spaces")
    .describe("Address of the service account."),
  privateKey: text(16_384).describe("Of the service account: RSA, PKCS#8, PEM."),
});
export type FcmCredential = z.infer<typeof FcmCredential>;

/** Names that lead nowhere (RFC 2606, RFC 6761, RFC 6762). */
const NOWHERE = /(^|\.)(localhost|local|test|example|invalid|internal|example\.(com|net|org))$/;

/**
 * Whether push services take this as the address of their sender: a mailbox, or a page, at a name of the public net (RFC 8292, 2.1).
 * Apple refuses every push under any other, where the rest do not look.
 */
function isReachableSubject(subject: string): boolean {
  const url = subject.includes("\\") ? null : parsedUrl(subject);
  const isPage = url?.protocol === "https:" && url.username === "" && url.password === "";
  const host =
    /^mailto:[\w.!#$%&'*+/=^`{|}~-]{1,64}@([^\s@?]{1,253})$/.exec(subject)?.[1] ??
    (isPage ? url.hostname : undefined);
  return (
    host !== undefined &&
    /^[a-z0-9-]+(\.[a-z0-9-]+)*\.([a-z]{2,63}|xn--[a-z0-9-]{1,59})$/i.test(host) &&
    !NOWHERE.test(host.toLowerCase())
  );
}

const subject = text(256)
  .refine(isWord, "must be printable ASCII without spaces")
  .describe("Whom push services turn to: `mailto:` and a mailbox, or an https address.");
const ownSubject = subject
  .refine(
    isReachableSubject,
    "must be mailto: and a mailbox, or an https:// address, at a domain that is yours: Apple refuses others",
  )
  .describe("Whom push services turn to: `mailto:` and a mailbox, or an https address.");

const vapidKey = text(43, 43)
  .refine((key) => /^[A-Za-z0-9_-]*$/.test(key), "must be 32 bytes in base64url")
  .meta({ pattern: "^[A-Za-z0-9_-]{43}$" });

const WebPushCredential = z.strictObject({
  provider: z.literal("webpush").describe("Who brings the push."),
  subject,
  privateKey: vapidKey.describe("The VAPID key: a private key of P-256, 32 bytes in base64url."),
});
export type WebPushCredential = z.infer<typeof WebPushCredential>;

const PROVIDERS = "must be one of apns, fcm, webpush";

/** What a project authenticates with at a push provider, as it is stored. */
export const PushCredential = z.discriminatedUnion(
  "provider",
  [ApnsCredential, FcmCredential, WebPushCredential],
  PROVIDERS,
);
export type PushCredential = z.infer<typeof PushCredential>;

/** A credential as it is put: a key for browsers is made here where none is given. */
export const GivenPushCredential = z
  .discriminatedUnion(
    "provider",
    [
      ApnsCredential,
      FcmCredential,
      WebPushCredential.extend({
        subject: ownSubject,
        privateKey: vapidKey
          .optional()
          .describe(
            "The VAPID key: a private key of P-256, 32 bytes in base64url. Left out, the one before is kept, or one is made.",
          ),
      }),
    ],
    PROVIDERS,
  )
  .meta({ id: "PushCredential" });
export type GivenPushCredential = z.infer<typeof GivenPushCredential>;

/** The provider that delivers to the apps of a platform. */
export const PROVIDER_OF: Readonly<Record<Platform, PushCredential["provider"]>> = {
  ios: "apns",
  android: "fcm",
  web: "webpush",
};
