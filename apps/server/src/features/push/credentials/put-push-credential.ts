import { z } from "zod";
import { type Ctx, endpoint, KIB } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { adoptEndedTokens } from "../../users/devices/public.ts";
import { newVapidKey } from "../providers/public.ts";
import type { GivenPushCredential, PushCredential } from "../providers/schema.ts";
import { readCredential, sealPushCredential } from "./read.ts";
import { reportRefusals } from "./refusal-faults.ts";
import { CREDENTIAL_EXAMPLE, type CredentialScope, PushCredentialView, PutBody } from "./schema.ts";
import { findCredential, insertCredential, replaceCredential } from "./store.ts";
import { requireSigningKey, viewOf } from "./view.ts";

/** A credential as it is kept. One for browsers that names no key keeps the key before it, with which browsers have subscribed. */
async function withKey(
  { app, db, projectId }: Ctx,
  scope: CredentialScope,
  given: GivenPushCredential,
): Promise<PushCredential> {
  if (given.provider !== "webpush") return given;
  const { privateKey, ...rest } = given;
  if (privateKey !== undefined) return { ...rest, privateKey };
  const before = await readCredential(db, app.secrets, projectId, scope);
  return {
    ...rest,
    privateKey: before?.credential.provider === "webpush" ? before.credential.privateKey : newVapidKey(),
  };
}

/**
 * Stores a credential that was checked; null where `expectedRevision` is not the stored one's. The statement that writes compares
 * the revision, so that of two simultaneous writes only one succeeds.
 */
export async function keepCredential(
  ctx: Ctx,
  body: z.output<typeof PutBody>,
): Promise<PushCredentialView | null> {
  const { app, db, projectId, now } = ctx;
  const { expectedRevision: revision, credential: given, ...scope } = body;
  const credential = await withKey(ctx, scope, given);
  const seal = (id: string): Buffer => sealPushCredential(app.secrets, projectId, id, credential);
  if (revision === 0) {
    const id = newUuid(now);
    const made = await insertCredential(db, projectId, { ...scope, id, sealed: seal(id), now });
    if (made === null) return null;
    await adoptEndedTokens(db, projectId, made);
    return viewOf(made, credential);
  }
  const before = await findCredential(db, projectId, scope);
  if (before === null) return null;
  const sealed = seal(before.id);
  const replaced = await replaceCredential(db, projectId, { id: before.id, revision }, { sealed, now });
  return replaced === null ? null : viewOf(replaced, credential);
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
      "One per app, platform and environment: `apns` for ios, `fcm` for android, `webpush` for web, whose key is made here unless you bring one. The key is tried out here, kept sealed, and never shown again; whether the provider takes it shows when something is sent.",
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
    const credential = await keepCredential(ctx, body);
    if (credential === null)
      throw new ApiError(
        "conflict",
        "expectedRevision is not that of the credential; list the credentials again",
      );
    await reportRefusals(ctx.db, ctx.projectId, { appId: credential.appId }, ctx.now);
    return { credential };
  },
);
