import { endpoint, KIB } from "../../../platform/http/contract/endpoint.ts";
import { CREDENTIAL_EXAMPLE, ValidateBody, Validated } from "./schema.ts";
import { requireSigningKey } from "./view.ts";

export const validatePushCredential = endpoint(
  {
    id: "validatePushCredential",
    method: "POST",
    path: "/api/v1/push/credentials/validate",
    tag: "Push",
    summary: "Try out a push credential, without keeping it",
    description: "Says whether the key can be read and signs. The provider is not asked.",
    keys: ["secret"],
    people: "owner",
    budget: "push",
    tool: "Credentials are secrets, which no model needs.",
    isRead: true,
    bodyLimit: 64 * KIB,
    body: ValidateBody,
    example: { credential: CREDENTIAL_EXAMPLE },
    result: Validated,
    refusals: "strict",
  },
  async (_ctx, { body }) => {
    await requireSigningKey(body.credential);
    return {
      provider: body.credential.provider,
      validation: "local_valid" as const,
      externalAuthentication: "not_checked" as const,
    };
  },
);
