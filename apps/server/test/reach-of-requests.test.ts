import assert from "node:assert/strict";
import { it } from "node:test";
import pg from "pg";
import { houseReader } from "../scripts/statements/placed.ts";
import { endpoints } from "../src/features.ts";
import { mirrorsFolder } from "./from-code.ts";
import { testHouse } from "./harness.ts";
import { keyOf, sampleOf, send, wholeWorld, worldFor } from "./samples.ts";

const house = testHouse({ dataDir: mirrorsFolder(), mode: "managed", sourcesPrivate: true });

/**
 * Operations that read or write rows in any lane. Their cost grows with the users of a project, and on several machines they have to ask each:
 * lists, reports and counts for people and agents, and what changes all of a project. Of what pages and devices call, it is a token alone
 * that another device had. Before one is added, a counter or the lane is looked for.
 */
const ACROSS_LANES: ReadonlySet<string> = new Set([
  "changeWebhook",
  "checkAudience",
  "createCampaign",
  "createJourney",
  "createWebhook",
  "dispatchCampaignPush",
  "eraseUser",
  "extractDeliveries",
  "extractEvents",
  "extractIdentities",
  "extractSends",
  "extractSuppressions",
  "extractUsers",
  "findUsers",
  "getAudienceCapabilities",
  "getCampaign",
  "getCampaignConversions",
  "getCampaignEmail",
  "getCampaignPush",
  "getGoalConversions",
  "getMetrics",
  "getOverview",
  "getProposal",
  "getPushTest",
  "getResultDays",
  "getUser",
  "getUserSummary",
  "getWebhook",
  "getWebhookMessage",
  "listActivity",
  "listCampaignDeliveries",
  "listCampaignResults",
  "listCampaigns",
  "listEvents",
  "listInstallations",
  "listJourneyEntries",
  "listSegmentUsers",
  "listSends",
  "listUnreadAddresses",
  "listUsers",
  "listWebhookMessages",
  "listWebhooks",
  "putPushCredential",
  "reconcileRef",
  "replayWebhookMessages",
  "rotateWebhookSecret",
  "sendPushTest",
  "sendTestEmail",
  "setInstallationToken",
  "takeCampaignCensus",
  "takeJourneyCensus",
  "updateCampaign",
]);

/** The texts of statements that requests send while something is done, on whichever connection. */
async function textsDuring(act: () => Promise<unknown>): Promise<Set<string>> {
  const texts = new Set<string>();
  const { query } = pg.Client.prototype;
  const recording = function (
    this: pg.Client & { connectionParameters: { application_name?: string } },
    ...given: unknown[]
  ) {
    const [sent] = given as [string | { text?: string } | undefined];
    const isOfRequest = this.connectionParameters.application_name !== "tidings background";
    if (isOfRequest) texts.add((typeof sent === "string" ? sent : sent?.text) ?? "");
    return Reflect.apply(query, this, given);
  };
  // It is called as the method that it stands for, and calls it.
  pg.Client.prototype.query = recording as typeof query;
  try {
    await act();
  } finally {
    pg.Client.prototype.query = query;
  }
  return texts;
}

it("requests reach rows of all lanes only where that is known", async () => {
  const reader = houseReader();
  const shared = await house.project();
  const sharedWorld = await wholeWorld(house, shared);
  const further: string[] = [];
  for (const { spec } of endpoints) {
    const isRead = spec.method === "GET";
    const project = isRead ? shared : await house.project();
    const world = isRead ? sharedWorld : await worldFor(house, project, spec);
    const sample = { ...sampleOf(spec, world), key: keyOf(project, spec) };
    const texts = await textsDuring(() => send(house, spec, sample));
    const unbound = [...texts].flatMap((text) => reader.read(text).unbound);
    if (unbound.length > 0 && !ACROSS_LANES.has(spec.id))
      further.push(`${spec.id}: ${[...new Set(unbound)].sort().join(", ")}`);
  }
  assert.deepEqual(further, [], "apps/server/statements has the statements with this reach");
});
