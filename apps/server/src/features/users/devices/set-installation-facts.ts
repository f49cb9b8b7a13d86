import { endpoint, KIB } from "../../../platform/http/contract/endpoint.ts";
import { changeInstallation } from "./change.ts";
import { replaceFacts } from "./rules.ts";
import { FactsBody, InstallationAnswer, installationPath } from "./schema.ts";

export const setInstallationFacts = endpoint(
  {
    id: "setInstallationFacts",
    method: "PUT",
    path: "/api/v1/sdk/installations/{installationId}/facts",
    tag: "Installations",
    summary: "Say what may be sent to the device, and how",
    description: "Replaces permission, consent and capabilities as a whole.",
    keys: ["publishable"],
    budget: "installations",
    needsCapability: true,
    params: installationPath,
    bodyLimit: 256 * KIB,
    body: FactsBody,
    example: {
      requestId: "change-2",
      bindingGeneration: 0,
      revision: 0,
      permission: "granted",
      consent: true,
      capabilities: { actions: ["reply"], channels: ["news"], richImages: true },
    },
    result: InstallationAnswer,
    refusals: "strict",
    errors: ["not_found", "conflict"],
    headers: { "cache-control": "no-store" },
  },
  async (ctx, request) =>
    changeInstallation(ctx, "setInstallationFacts", request, { apply: replaceFacts(request.body) }),
);
