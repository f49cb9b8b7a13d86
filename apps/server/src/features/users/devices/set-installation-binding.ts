import { userRef } from "../../../domain/ids.ts";
import { patiently } from "../../../platform/db/transactions/patiently.ts";
import { endpoint, KIB } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { isServersUser } from "../profiles/public.ts";
import { changeInstallation } from "./change.ts";
import { bindTo } from "./rules.ts";
import { BindingBody, InstallationAnswer, installationPath } from "./schema.ts";
import { lockBoundUser } from "./store.ts";

/** A push to such a user may tell what only the server knows: it must not reach a device that merely claims to be theirs. */
const NEEDS_PROOF =
  "Could not identify user: your server has spoken of this user, so the binding needs their userHash";

export const setInstallationBinding = endpoint(
  {
    id: "setInstallationBinding",
    method: "PUT",
    path: "/api/v1/sdk/installations/{installationId}/binding",
    tag: "Installations",
    summary: "Say who uses the app",
    description:
      "Null is nobody. Another user takes consent and the time of the last activity away and raises the binding generation; the token stays. A user of whom your server has spoken (traits set with the secret key) is bound with their `userHash` only: 401 without.",
    keys: ["publishable"],
    budget: "installations",
    needsCapability: true,
    params: installationPath,
    bodyLimit: 256 * KIB,
    body: BindingBody,
    example: { requestId: "change-1", bindingGeneration: 0, revision: 0, userId: "ada" },
    identifies: ({ body }) => body,
    result: InstallationAnswer,
    refusals: "strict",
    errors: ["not_found", "conflict"],
    headers: { "cache-control": "no-store" },
  },
  async (ctx, { body: { userHash: _, ...body }, ...request }) => {
    const { userId } = body;
    const user = userId === null ? null : { ...userRef(ctx.projectId, userId), externalId: userId };
    // An earlier user with this id may still be being erased, in which case this waits and tries again.
    return patiently(ctx.app, () =>
      changeInstallation(
        ctx,
        "setInstallationBinding",
        { ...request, body },
        {
          apply: bindTo(user),
          before: async (tx) => user !== null && lockBoundUser(tx, ctx.projectId, user, ctx.now),
          async beside(tx, _ref, state) {
            if (user === null || state.user?.userKey === user.userKey || ctx.isProven()) return;
            if (await isServersUser(tx, ctx.projectId, user)) throw new ApiError("unidentified", NEEDS_PROOF);
          },
        },
      ),
    );
  },
);
