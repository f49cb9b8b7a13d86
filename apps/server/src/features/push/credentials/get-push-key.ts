import { z } from "zod";
import { PushEnvironment } from "../../../domain/fields.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { text } from "../../../platform/http/contract/fields.ts";
import { applicationServerKeyOf } from "../providers/public.ts";
import { readCredential } from "./read.ts";
import { ApplicationServerKey } from "./schema.ts";

export const getPushKey = endpoint(
  {
    id: "getPushKey",
    method: "GET",
    path: "/api/v1/sdk/push-key",
    tag: "Installations",
    summary: "Read the key that browsers subscribe with",
    description:
      "The public key of the app's credential for `web`, which `pushManager.subscribe` takes as `applicationServerKey`. A browser that subscribed with another one has to subscribe again.",
    keys: ["publishable"],
    budget: "installations",
    query: z.object({
      appId: text(256).describe("Your name of the site, as its credential has it."),
      environment: PushEnvironment.default("production").describe("Of the push provider."),
    }),
    result: z.strictObject({
      applicationServerKey: ApplicationServerKey,
    }),
    refusals: "strict",
    errors: ["not_found"],
    headers: { "cache-control": "no-store" },
  },
  async ({ app, db, projectId }, { query: { appId, environment } }) => {
    const found = await readCredential(db, app.secrets, projectId, { appId, platform: "web", environment });
    const applicationServerKey =
      found?.credential.provider === "webpush" ? applicationServerKeyOf(found.credential.privateKey) : null;
    if (applicationServerKey === null)
      throw new ApiError("not_found", "The app has no push credential for web; see docs/web-push.md");
    return { applicationServerKey };
  },
);
