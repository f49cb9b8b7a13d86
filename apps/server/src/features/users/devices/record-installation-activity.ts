import { endpoint, KIB } from "../../../platform/http/contract/endpoint.ts";
import { changeInstallation } from "./change.ts";
import { beActive } from "./rules.ts";
import { ActivityBody, InstallationAnswer, installationPath } from "./schema.ts";

export const recordInstallationActivity = endpoint(
  {
    id: "recordInstallationActivity",
    method: "POST",
    path: "/api/v1/sdk/installations/{installationId}/activity",
    tag: "Installations",
    summary: "Say that somebody uses the app now",
    description:
      "For real use only, not for work in the background: it decides which of a user's devices is the one used last.",
    keys: ["publishable"],
    budget: "installations",
    needsCapability: true,
    params: installationPath,
    bodyLimit: 256 * KIB,
    body: ActivityBody,
    example: { requestId: "change-4", bindingGeneration: 0, revision: 0 },
    result: InstallationAnswer,
    refusals: "strict",
    errors: ["not_found", "conflict"],
    headers: { "cache-control": "no-store" },
  },
  async (ctx, request) =>
    changeInstallation(ctx, "recordInstallationActivity", request, { apply: beActive(ctx.now) }),
);
