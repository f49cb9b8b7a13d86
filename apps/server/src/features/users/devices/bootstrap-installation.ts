import { installationRef } from "../../../domain/ids.ts";
import { type Ctx, endpoint, KIB } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { isVerified, verifierOf } from "./authenticate.ts";
import { BootstrapBody, InstallationAnswer } from "./schema.ts";
import { findInstallation, type InstallationRow, insertInstallation, toInstallation } from "./store.ts";

type Made = Parameters<typeof insertInstallation>[2];

/** The installation of that id, inserted if there is none, or if it is erased at the same time. */
async function ensure(ctx: Ctx, made: Made): Promise<InstallationRow> {
  await insertInstallation(ctx.db, ctx.projectId, made);
  return (await findInstallation(ctx.db, ctx.projectId, made)) ?? ensure(ctx, made);
}

export const bootstrapInstallation = endpoint(
  {
    id: "bootstrapInstallation",
    method: "POST",
    path: "/api/v1/sdk/installations",
    tag: "Installations",
    summary: "Register a copy of your app on a device",
    description:
      "The app makes both the id and the capability up and keeps them: 32 random bytes in base64url are a capability. It is not shown again and cannot be changed. A repeat answers the installation; the same id with another capability, app, platform or environment is refused.",
    keys: ["publishable"],
    budget: "installations",
    bodyLimit: 256 * KIB,
    body: BootstrapBody,
    example: {
      installationId: "phone-1",
      appId: "com.example.app",
      platform: "ios",
      environment: "development",
      capability: "m2Yx0Jq4T8kQ1vUcXw7bD5eF6gH3iL9mN0pR2sT4vZa",
    },
    result: InstallationAnswer,
    refusals: "strict",
    errors: ["conflict"],
    headers: { "cache-control": "no-store" },
  },
  async (ctx, { body }) => {
    const { installationId, appId, platform, environment, capability } = body;
    const row = await ensure(ctx, {
      ...installationRef(ctx.projectId, installationId),
      installationId,
      appId,
      platform,
      environment,
      verifier: verifierOf(capability),
      createdAt: ctx.now,
    });
    const isSame = row.appId === appId && row.platform === platform && row.environment === environment;
    if (!isVerified(capability, row.verifier) || !isSame)
      throw new ApiError(
        "conflict",
        "installationId is in use, with another capability, app, platform or environment",
      );
    return { installation: toInstallation(row) };
  },
);
