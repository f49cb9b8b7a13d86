import { z } from "zod";
import { Platform, PushEnvironment } from "../../../../domain/fields.ts";
import { uuidFor } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { atOneInstant } from "../../../../platform/db/transactions/at-one-instant.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { count, epochMs, text } from "../../../../platform/http/contract/fields.ts";
import type { App } from "../../../../platform/runtime.ts";
import { servingOf } from "../../../counting/usage/public.ts";
import { pushPausedBecause } from "../../../counting/usage/rules.ts";
import { readCampaignCredentials } from "../credentials.ts";
import { WAITING } from "../schema.ts";
import { countDevices, listCredentialWays, listPushCampaigns, type Way } from "./standing-store.ts";

const reasons = z
  .array(z.object({ reason: z.enum(WAITING).describe("Why they wait."), count: count.describe("How many.") }))
  .max(WAITING.length);

const PushWay = z.object({
  appId: z.string().max(256).describe("Bundle id, package name, or your name of a site."),
  platform: Platform.describe("What its devices run."),
  environment: PushEnvironment.describe("Of the push provider."),
  credential: z
    .enum(["usable", "refused", "sealed", "none"])
    .describe(
      "Whether there is a credential. `refused`: there is, and its provider does not take it. `sealed`: there is, and another SECRET_KEY has sealed it.",
    ),
  refused: z
    .object({
      at: epochMs.describe("Since when, in epoch milliseconds."),
      code: z.string().max(256).describe("The word of the provider for it."),
    })
    .nullable()
    .describe("Where the provider refuses the credential: since when, and why."),
  devices: count.describe("All devices; each is in one of the counts that follow."),
  unbound: count.describe("Devices that no user has."),
  noToken: count.describe("Devices of a user, without a push token."),
  noConsent: count.describe("Devices with a token, whose user has not agreed."),
  notPermitted: count.describe("Devices whose system does not let the app show pushes."),
  ready: count.describe("Devices that can be sent to where there is a credential."),
});

const Waiting = z.object({
  id: z.string().max(128).describe("Id of the campaign."),
  name: z.string().max(200).describe("Its name."),
  appId: z.string().max(256).describe("The app that it is for."),
  status: z.enum(["draft", "running", "paused", "ended"]).describe("Its status."),
  deliverFrom: epochMs.nullable().describe("Begin of its delivery window."),
  deliverUntil: epochMs.nullable().describe("End of its delivery window."),
  users: reasons.describe("Users who wait, because none of their devices can be sent to yet."),
  devices: reasons.describe("Devices that were chosen, and wait."),
});

const keyOf = ({ appId, platform, environment }: Way): string =>
  JSON.stringify([appId, platform, environment]);

/** Which credentials there are, by way. */
async function readCredentials(where: { app: App; db: Db; projectId: string }) {
  const { app, db, projectId } = where;
  const ways = await listCredentialWays(db, projectId);
  const found = new Map<string, { way: Way } & Pick<z.input<typeof PushWay>, "credential" | "refused">>();
  for (const [appId, theirs] of Map.groupBy(ways, (way) => way.appId)) {
    const usable = await readCampaignCredentials(app, db, projectId, appId);
    for (const way of theirs) {
      const { refusedAt: at = null, refusedCode: code } = usable.get(way) ?? {};
      const refused = at === null ? null : { at, code: code ?? "" };
      const taken = refused === null ? "usable" : "refused";
      found.set(keyOf(way), { way, credential: usable.has(way) ? taken : "sealed", refused });
    }
  }
  return found;
}

const NO_DEVICES = { devices: 0, unbound: 0, noToken: 0, noConsent: 0, notPermitted: 0, ready: 0 };

export const getPushStanding = endpoint(
  {
    id: "getPushStanding",
    method: "GET",
    path: "/api/people/push",
    tag: "Push",
    summary: "Say what pushes need to leave, and what those that do not leave wait for",
    keys: [],
    people: "viewer",
    cost: "heavy",
    query: z.object({
      campaignId: text(128).optional().describe("Only this campaign, whatever its status."),
    }),
    result: z.object({
      pausedBecause: z.string().max(1_000).nullable().describe("Why no push of the project leaves."),
      ways: z.array(PushWay).max(200),
      campaigns: z.array(Waiting).max(100).describe("Running and paused push campaigns, the newest first."),
    }),
  },
  async (ctx, { query: { campaignId } }) => {
    const { app, db, projectId } = ctx;
    const pausedBecause = pushPausedBecause(await servingOf(app, projectId));
    const chosen = campaignId === undefined ? null : uuidFor("cmp", campaignId);
    const { credentials, counted, campaigns } = await atOneInstant(db, async (tx) => ({
      credentials: await readCredentials({ app, db: tx, projectId }),
      counted: await countDevices(tx, projectId),
      campaigns: await listPushCampaigns(tx, projectId, chosen),
    }));
    const counts = new Map(counted.map((row) => [keyOf(row), row]));
    const all = [
      ...counted.map(({ appId, platform, environment }) => ({ appId, platform, environment })),
      ...[...credentials.values()].map(({ way }) => way).filter((way) => !counts.has(keyOf(way))),
    ];
    return {
      pausedBecause,
      ways: all.map((way) => ({
        ...NO_DEVICES,
        ...way,
        ...counts.get(keyOf(way)),
        credential: credentials.get(keyOf(way))?.credential ?? ("none" as const),
        refused: credentials.get(keyOf(way))?.refused ?? null,
      })),
      // The reasons to wait are all of `WAITING`: nothing else is written there.
      campaigns: campaigns as (Omit<(typeof campaigns)[number], "users" | "devices"> &
        Pick<z.input<typeof Waiting>, "users" | "devices">)[],
    };
  },
);
