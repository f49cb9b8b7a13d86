import { z } from "zod";
import { text } from "../../../platform/http/contract/fields.ts";
import { type Platform, PROVIDER_OF, PushCredential } from "../providers/schema.ts";

const revision = z.int().min(0);

/** Which devices a credential is for. */
const scope = {
  appId: text(256).describe("Bundle id or package name."),
  platform: z.enum(["ios", "android"]).describe("What the device runs."),
  environment: z.enum(["development", "production"]).describe("Of the push provider."),
};
const CredentialScope = z.strictObject(scope);
export type CredentialScope = z.infer<typeof CredentialScope>;

/** Checks that the credential is for the provider that delivers to the platform. */
function matches(ctx: z.core.ParsePayload<{ platform: Platform; credential: PushCredential }>): void {
  const { platform, credential } = ctx.value;
  const provider = PROVIDER_OF[platform];
  if (credential.provider === provider) return;
  const path = ["credential", "provider"];
  ctx.issues.push({
    code: "custom",
    message: `must be ${provider} for ${platform}`,
    input: credential.provider,
    path,
  });
}

export const PutBody = z
  .strictObject({
    ...scope,
    expectedRevision: revision.describe("Of the credential that this one replaces; 0 where there is none."),
    credential: PushCredential.describe("The credential."),
  })
  .check(matches);

/** A credential as it is written; the key is left out. */
export const CREDENTIAL_EXAMPLE = {
  provider: "apns" as const,
  teamId: "TEAM123456",
  keyId: "KEY1234567",
  topic: "com.example.app",
  privateKey: "-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n",
};

export const ValidateBody = z.strictObject({ credential: PushCredential.describe("The credential.") });

const validation = z
  .literal("local_valid")
  .describe("The key can be read and signs; the provider was not asked.");

/** A credential as it is shown: never with its key. */
export const PushCredentialView = z
  .strictObject({
    id: z.string().min(1).max(128).meta({ description: "Id of the credential.", example: "pcr_1" }),
    appId: z
      .string()
      .min(1)
      .max(256)
      .meta({ description: "Bundle id or package name of the app.", example: "com.example.app" }),
    platform: scope.platform,
    environment: scope.environment,
    revision: revision.meta({
      description: "Raised by every credential that is put in its place.",
      example: 1,
    }),
    validation,
  })
  .meta({ id: "PushCredentialView" });
export type PushCredentialView = z.infer<typeof PushCredentialView>;

export const Validated = z.strictObject({
  provider: z.enum(["apns", "fcm"]).describe("Who brings the push."),
  validation,
  externalAuthentication: z.literal("not_checked").describe("Whether the provider was asked."),
});
