import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  all,
  days,
  type Expression,
  expression,
  message,
  not,
  trait,
} from "../../../../../test/audience/trees.ts";
import { feedback, launchCampaign, messagesOf, toast } from "../../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { userRef } from "../../../../domain/ids.ts";

const house = testHouse();
const DAY = 86_400_000;

/** Two campaigns in the page, shown to ada and bo; ada clicked the first one a week ago. */
async function scene() {
  const project = await house.project();
  for (const userId of ["ada", "bo", "cy"]) await project.sdk.identify({ body: { userId } });
  const [first, second] = [await launchCampaign(project), await launchCampaign(project)];
  for (const userId of ["ada", "bo"])
    for (const { deliveryId } of await messagesOf(project, userId)) {
      await feedback(project, deliveryId, userId, "shown");
    }
  return { project, first, second };
}

const matching = async ({ api }: TestProject, expressionGiven: Expression): Promise<string[]> => {
  const { samples } = await api.checkAudience({ body: { expression: expressionGiven } });
  return samples.map(({ externalUserId }) => externalUserId);
};

describe("an audience of what users did with messages", () => {
  it("is counted, sampled and explained, and served by the feed", async () => {
    const { project, first, second } = await scene();
    const [shown] = (await messagesOf(project, "ada")).slice(-1);
    assert.ok(shown);
    await feedback(project, shown.deliveryId, "ada", "clicked");
    const clickers = expression(message("clicked", { campaigns: [first.id, second.id] }));
    assert.deepEqual(await matching(project, clickers), ["ada"]);
    assert.deepEqual(await matching(project, expression(message("received"))), ["ada", "bo"]);
    assert.deepEqual(
      await matching(project, expression(message("received", { count: { op: "gte", value: 2 } }))),
      ["ada", "bo"],
    );
    assert.deepEqual(await matching(project, expression(message("received", { channel: "email" }))), []);
    assert.deepEqual(await matching(project, expression(not(message("received")))), ["cy"]);
    const explained = await project.api.explainAudience({ body: { userId: "bo", expression: clickers } });
    assert.deepEqual(explained.trace, {
      path: "/root",
      kind: "message",
      matched: false,
      did: "clicked",
      campaigns: [first.id, second.id].sort(),
      channel: null,
      occurrences: 0,
      required: { op: "gte", value: 1 },
      windowCutoff: null,
    });
    for (const campaign of [first, second])
      await project.api.setCampaignStatus({ path: { id: campaign.id }, body: { action: "pause" } });
    await launchCampaign(project, {
      message: toast("For those who clicked"),
      audience: { kind: "expression", expression: clickers },
    });
    const titles = async (userId: string) =>
      (await messagesOf(project, userId)).map(({ content }) => content);
    assert.equal((await titles("ada")).length, 1);
    assert.equal((await titles("bo")).length, 0);
    assert.equal((await titles("cy")).length, 0);
  });

  it("forgets what lies before its window", async () => {
    const { project } = await scene();
    const lately = expression(message("received", { window: days(2) }));
    assert.deepEqual(await matching(project, lately), ["ada", "bo"]);
    const now = house.now();
    house.at(now + 2 * DAY + 1);
    assert.deepEqual(await matching(project, lately), []);
    house.at(now);
  });

  it("is counted for users with more messages than are read", async () => {
    const { project, first } = await scene();
    // Occasions beyond the first are made by receipts and journeys alone.
    const { lane, userKey } = userRef(project.projectId, "ada");
    await house.database.pool.query(
      `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at, occasion, shown_at, exposed_at)
      select lane, user_key, campaign_id, project_id, variant_id, state, queued_at, n, shown_at, exposed_at
      from deliveries, generate_series(1, 300) n
      where lane = $1 and user_key = $2 and campaign_id = $3`,
      [lane, userKey, first.id.slice("cmp_".length)],
    );
    const many = (value: number) =>
      expression(message("received", { campaigns: [first.id], count: { op: "gte", value } }));
    await project.api.setCampaignStatus({ path: { id: first.id }, body: { action: "pause" } });
    for (const [value, title] of [
      [301, "Three hundred and one"],
      [302, "More"],
    ] as const)
      await launchCampaign(project, {
        message: toast(title),
        audience: { kind: "expression", expression: many(value) },
      });
    const served = (await messagesOf(project, "ada")).map(({ content }) => content);
    assert.ok(JSON.stringify(served).includes("Three hundred and one"));
    assert.ok(!JSON.stringify(served).includes("More"));
    assert.deepEqual(await matching(project, many(301)), ["ada"]);
    assert.deepEqual(await matching(project, many(302)), []);
  });

  it("names campaigns of its project alone, wherever it is written", async () => {
    const [{ api }, other] = [await house.project(), await scene()];
    const foreign = expression(
      all(trait("plan", "exists"), not(message("opened", { campaigns: [other.first.id] }))),
    );
    const body = { expression: foreign };
    const own = expression(message("received"));
    const { segment } = await api.createSegment({ body: { key: "s", name: "S", expression: own } });
    const campaign = { name: "C", message: toast(), audience: { kind: "expression" as const, ...body } };
    const { campaign: made } = await api.createCampaign({ body: { name: "C", message: toast() } });
    const calls = [
      () => api.checkAudience({ body }),
      () => api.explainAudience({ body: { userId: "ada", ...body } }),
      () => api.createSegment({ body: { key: "t", name: "T", ...body } }),
      () => api.updateSegment({ path: { id: segment.id }, body: { ...body, expectedVersion: 1 } }),
      () => api.createCampaign({ body: campaign }),
      () => api.updateCampaign({ path: { id: made.id }, body: { audience: campaign.audience } }),
    ];
    for (const call of calls) {
      const { status, error, body: answered } = await refusal(call());
      const { diagnostics } = answered as { diagnostics: { code: string; path: string }[] };
      assert.deepEqual(
        [status, diagnostics.map(({ code, path }) => [code, path])],
        [400, [["unknown_campaign", "/root/children/1/child/campaigns/0"]]],
        error,
      );
    }
    assert.equal((await api.listSegments({ query: {} })).segments.length, 1);
  });
});
