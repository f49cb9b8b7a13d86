import { z } from "zod";
import { text } from "../../../platform/http/contract/fields.ts";

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

/** What a project authenticates with at a push provider. */
export const PushCredential = z
  .discriminatedUnion("provider", [ApnsCredential, FcmCredential], "must be one of apns, fcm")
  .meta({ id: "PushCredential" });
export type PushCredential = z.infer<typeof PushCredential>;

export type Platform = "ios" | "android";
export type Environment = "development" | "production";

/** The provider that delivers to the apps of a platform. */
export const PROVIDER_OF: Readonly<Record<Platform, PushCredential["provider"]>> = {
  ios: "apns",
  android: "fcm",
};
