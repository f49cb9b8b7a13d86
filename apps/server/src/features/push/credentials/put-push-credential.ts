import { z } from "zod";
import { type Ctx, endpoint, KIB } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { adoptEndedTokens } from "../../users/devices/public.ts";
import { sealPushCredential } from "./read.ts";
import { reportRefusals } from "./refusal-faults.ts";
import { CREDENTIAL_EXAMPLE, PushCredentialView, PutBody } from "./schema.ts";
import { type CredentialRow, findCredential, insertCredential, replaceCredential } from "./store.ts";
import { requireSigningKey, viewOf } from "./view.ts";

/**
 * Stores a credential that was checked; null where `expectedRevision` is not the stored one's. The statement that writes compares
 * the revision, so that of two simultaneous writes only one succeeds.
 */
export async function keepCredential(
  { app, db, projectId, now }: Ctx,
  body: z.output<typeof PutBody>,
): Promise<CredentialRow | null> {
  const { expectedRevision: revision, credential, ...scope } = body;
  const seal = (id: string): Buffer => sealPushCredential(app.secrets, projectId, id, credential);
  if (revision === 0) {
    const id = newUuid(now);
    const made = await insertCredential(db, projectId, { ...scope, id, sealed: seal(id), now });
    if (made !== null) await adoptEndedTokens(db, projectId, made);
    return made;
  }
  const before = await findCredential(db, projectId, scope);
  if (before === null) return null;
  return replaceCredential(db, projectId, { id: before.id, revision }, { sealed: seal(before.id), now });
}

export const putPushCredential = endpoint(
  {
    id: "putPushCredential",
    method: "PUT",
    path: "/api/v1/push/credentials",
    audit: "put a push credential",
    tag: "Push",
    summary: "Put the credential that pushes to an app are sent with",
    description:
      "One per app, platform and environment: `apns` for ios, `fcm` for android. The key is tried out here, kept sealed, and never shown again; whether the provider takes it shows when something is sent.",
    keys: ["secret"],
    people: "owner",
    budget: "push",
    tool: "Credentials are secrets, which no model needs.",
    bodyLimit: 64 * KIB,
    body: PutBody,
    example: {
      appId: "com.example.app",
      platform: "ios",
      environment: "development",
      expectedRevision: 0,
      credential: CREDENTIAL_EXAMPLE,
    },
    result: z.strictObject({ credential: PushCredentialView.describe("The credential.") }),
    refusals: "strict",
    errors: ["conflict"],
    headers: { "cache-control": "no-store" },
  },
  async (ctx, { body }) => {
    await requireSigningKey(body.credential);
    const row = await keepCredential(ctx, body);
    if (row === null)
      throw new ApiError(
        "conflict",
        "expectedRevision is not that of the credential; list the credentials again",
      );
    await reportRefusals(ctx.db, ctx.projectId, { appId: row.appId }, ctx.now);
    return { credential: viewOf(row) };
  },
);
