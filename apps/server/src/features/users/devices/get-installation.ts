import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { authenticateInstallation } from "./authenticate.ts";
import { InstallationAnswer, installationPath } from "./schema.ts";
import { toInstallation } from "./store.ts";

export const getInstallation = endpoint(
  {
    id: "getInstallation",
    method: "GET",
    path: "/api/v1/sdk/installations/{installationId}",
    tag: "Installations",
    summary: "Read an installation, as its device",
    description: "An id that is not known and the capability of another installation are answered alike.",
    keys: ["publishable"],
    budget: "installations",
    needsCapability: true,
    params: installationPath,
    result: InstallationAnswer,
    refusals: "strict",
    errors: ["not_found"],
    headers: { "cache-control": "no-store" },
  },
  async (ctx, { params, capability }) => {
    const { row } = await authenticateInstallation(ctx, params.installationId, capability);
    return { installation: toInstallation(row) };
  },
);
