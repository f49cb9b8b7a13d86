import { patiently } from "../../platform/db/patiently.ts";
import { endpoint, KIB } from "../../platform/http/endpoint.ts";
import { userRef } from "../../platform/ids.ts";
import { changeInstallation } from "./change.ts";
import { bindTo } from "./rules.ts";
import { BindingBody, InstallationAnswer, installationPath } from "./schema.ts";
import { holdBoundUser } from "./store.ts";

export const setInstallationBinding = endpoint(
  {
    id: "setInstallationBinding",
    method: "PUT",
    path: "/api/v1/sdk/installations/{installationId}/binding",
    tag: "Installations",
    summary: "Say who uses the app",
    description:
      "Null is nobody. Another user takes consent and the time of the last activity away and raises the binding generation; the token stays.",
    keys: ["publishable"],
    budget: "installations",
    needsCapability: true,
    params: installationPath,
    bodyLimit: 256 * KIB,
    body: BindingBody,
    example: { requestId: "change-1", bindingGeneration: 0, revision: 0, userId: "ada" },
    identifies: ({ body }) => body,
    result: InstallationAnswer,
    strictErrors: true,
    errors: ["not_found", "conflict"],
    headers: { "cache-control": "no-store" },
  },
  async (ctx, { body: { userHash: _, ...body }, ...asked }) => {
    const { userId } = body;
    const user = userId === null ? null : { ...userRef(ctx.projectId, userId), externalId: userId };
    // A user of this id before may still be being erased.
    return patiently(ctx.app, () =>
      changeInstallation(
        ctx,
        "setInstallationBinding",
        { ...asked, body },
        {
          apply: bindTo(user),
          before: async (tx) => user !== null && holdBoundUser(tx, ctx.projectId, user, ctx.now),
        },
      ),
    );
  },
);
