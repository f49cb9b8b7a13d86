import { z } from "zod";
import { Platform, PushEnvironment } from "../../../domain/fields.ts";
import { text } from "../../../platform/http/contract/fields.ts";
import { GivenPushCredential, PROVIDER_OF } from "../providers/schema.ts";

const revision = z.int().min(0);

/** Which devices a credential is for. */
const scope = {
  appId: text(256).describe("Bundle id, package name, or your name of a site."),
  platform: Platform.describe("What the device runs."),
  environment: PushEnvironment.describe("Of the push provider."),
};
const CredentialScope = z.strictObject(scope);
export type CredentialScope = z.infer<typeof CredentialScope>;

/** Checks that the credential is for the provider that delivers to the platform. */
function matches(ctx: z.core.ParsePayload<{ platform: Platform; credential: GivenPushCredential }>): void {
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
    credential: GivenPushCredential.describe("The credential."),
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

export const ValidateBody = z.strictObject({ credential: GivenPushCredential.describe("The credential.") });

const validation = z
  .literal("local_valid")
  .describe("The key can be read and signs; the provider was not asked.");

/** What browsers subscribe with: the public half of a key of P-256. */
export const ApplicationServerKey = z.string().length(87).meta({
  description: "A point of P-256: 65 bytes in base64url.",
  example: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
});

/** A credential as it is shown: never with its private key. */
export const PushCredentialView = z
  .strictObject({
    id: z.string().min(1).max(128).meta({ description: "Id of the credential.", example: "pcr_1" }),
    appId: z
      .string()
      .min(1)
      .max(256)
      .meta({ description: "Bundle id, package name, or your name of a site.", example: "com.example.app" }),
    platform: scope.platform,
    environment: scope.environment,
    revision: revision.meta({
      description: "Raised by every credential that is put in its place.",
      example: 1,
    }),
    validation,
    applicationServerKey: ApplicationServerKey.nullable().meta({
      description:
        "The public key that browsers subscribe with; null for apps, and where the credential was sealed with another SECRET_KEY.",
      example: null,
    }),
  })
  .meta({ id: "PushCredentialView" });
export type PushCredentialView = z.infer<typeof PushCredentialView>;

export const Validated = z.strictObject({
  provider: z.enum(["apns", "fcm", "webpush"]).describe("Who brings the push."),
  validation,
  externalAuthentication: z.literal("not_checked").describe("Whether the provider was asked."),
});
