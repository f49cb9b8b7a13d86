import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { feedback, launchCampaign, messagesOf, toast } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";

const house = testHouse();

type CampaignList = NonNullable<Input<"listCampaigns">["query"]>;

describe("listCampaigns", () => {
  const namesOf = async ({ agent }: TestProject, query: CampaignList = {}) =>
    (await agent.listCampaigns({ query })).campaigns.map(({ name }) => name);

  it("answers the newest first, without variants, at one instant", async () => {
    const project = await house.project();
    const made = [];
    for (let i = 0; i < 3; i++) {
      made.unshift(await launchCampaign(project, { name: `Campaign ${i}` }));
      if (i > 0) house.advance(1);
    }
    const { campaigns, ...rest } = await project.api.listCampaigns();
    assert.deepEqual(rest, { total: 3, page: 1, pageCount: 1, evaluatedAt: house.now() });
    // The first two are of the same millisecond: then the id decides, descending.
    const expected = made
      .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
      .map(({ variants: _, revision: __, pausedBecause: ___, ...campaign }) => campaign);
    assert.deepEqual(campaigns, expected);
  });

  it("pages, a hundred at a time where nothing is said", async () => {
    const project = await house.project();
    const made: string[] = [];
    for (let i = 0; i < 101; i++) {
      house.advance(1);
      made.unshift((await launchCampaign(project, { name: `Campaign ${i}`, launch: false })).name);
    }
    assert.deepEqual(await namesOf(project), made.slice(0, 100));
    assert.deepEqual(await namesOf(project, { page: 2 }), made.slice(100));
    assert.deepEqual(await namesOf(project, { page: 3 }), []);
    assert.deepEqual(await namesOf(project, { perPage: 40, page: 3 }), made.slice(80));
    const { total, page, pageCount } = await project.api.listCampaigns({ query: { perPage: 40, page: 2 } });
    assert.deepEqual({ total, page, pageCount }, { total: 101, page: 2, pageCount: 3 });
    assert.deepEqual(await namesOf(project, { perPage: 1 }), made.slice(0, 1));
  });

  it("filters by effective status, to the millisecond", async () => {
    const project = await house.project();
    const [from, until] = [house.now() + 1_000, house.now() + 2_000];
    const states = [
      { name: "draft", launch: false },
      { name: "plain" },
      { name: "ended", action: "end" },
      { name: "paused", action: "pause" },
      { name: "windowed", deliverFrom: from, deliverUntil: until },
      { name: "windowed, paused", deliverFrom: from, deliverUntil: until, action: "pause" },
      { name: "windowed draft", deliverFrom: from, deliverUntil: until, launch: false },
      { name: "windowed, ended", deliverFrom: from, deliverUntil: until, action: "end" },
    ] as const;
    for (const { name, ...rest } of states) {
      const { id } = await launchCampaign(project, { name, ...("action" in rest ? {} : rest) });
      const window = "deliverFrom" in rest ? { deliverFrom: from, deliverUntil: until } : null;
      if ("action" in rest) {
        if (window !== null) await project.api.updateCampaign({ path: { id }, body: window });
        await project.api.setCampaignStatus({ path: { id }, body: { action: rest.action } });
      }
    }
    const all = states.map(({ name }) => name).toSorted();
    const namesByStatus = async () => {
      const found: Record<string, string[]> = {};
      for (const status of ["draft", "scheduled", "running", "paused", "expired", "ended"] as const) {
        const { campaigns, total } = await project.api.listCampaigns({ query: { status } });
        assert.equal(total, campaigns.length);
        assert.ok(campaigns.every((campaign) => campaign.effectiveStatus === status));
        found[status] = campaigns.map(({ name }) => name).toSorted();
      }
      assert.deepEqual(Object.values(found).flat().toSorted(), all);
      return found;
    };
    const still = { draft: ["draft", "windowed draft"], ended: ["ended", "windowed, ended"] };
    const before = { ...still, scheduled: ["windowed"], running: ["plain"], expired: [] };
    const inside = { ...still, scheduled: [], running: ["plain", "windowed"], expired: [] };
    const paused = ["paused", "windowed, paused"];
    const over = ["windowed", "windowed, paused"];
    house.at(from - 1);
    assert.deepEqual(await namesByStatus(), { ...before, paused });
    house.at(from);
    assert.deepEqual(await namesByStatus(), { ...inside, paused });
    house.at(until - 1);
    assert.deepEqual(await namesByStatus(), { ...inside, paused });
    house.at(until);
    assert.deepEqual(await namesByStatus(), {
      ...inside,
      running: ["plain"],
      paused: ["paused"],
      expired: over,
    });
  });

  it("finds part of a name, whatever its case, and takes it literally", async () => {
    const project = await house.project();
    const names = ["100% off", "100 off", "under_score", "underXscore", "Back\\slash", "Été in Zürich"];
    for (const name of names) await launchCampaign(project, { name, launch: false });
    const found = async (q: string) => (await namesOf(project, { q })).toSorted();
    assert.deepEqual(await found("OFF"), ["100 off", "100% off"]);
    assert.deepEqual(await found("0%"), ["100% off"]);
    assert.deepEqual(await found("R_S"), ["under_score"]);
    assert.deepEqual(await found("k\\S"), ["Back\\slash"]);
    assert.deepEqual(await found("ÉTÉ IN zÜR"), ["Été in Zürich"]);
    assert.deepEqual(await found("x".repeat(200)), []);
    assert.deepEqual(await namesOf(project, { q: "off", status: "running" }), []);
  });

  const refused: readonly Record<string, unknown>[] = [
    { status: "live" },
    { status: "" },
    { q: "x".repeat(201) },
    { page: 0 },
    { page: -1 },
    { page: "x" },
    { page: 1.5 },
    { perPage: 0 },
    { perPage: 101 },
    { perPage: "" },
  ];
  for (const query of refused) {
    it(`refuses ${JSON.stringify(query).slice(0, 40)}`, async () => {
      const { api } = await house.project();
      assert.equal((await refusal(api.listCampaigns({ query: query as CampaignList }))).status, 400);
    });
  }

  it("counts what getCampaign counts, and that is the sum of its variants", async () => {
    const project = await house.project();
    const variants = [{ message: toast() }, { message: toast() }];
    const { id } = await launchCampaign(project, { variants });
    const other = await launchCampaign(project, { pages: ["/elsewhere"] });
    const reports = Array.from({ length: 40 }, async (_, i) => {
      const [message] = await messagesOf(project, `user ${i}`, "/");
      assert.ok(message);
      await feedback(project, message.deliveryId, `user ${i}`, "shown");
      if (i % 2 === 0) await feedback(project, message.deliveryId, `user ${i}`, "clicked");
      if (i % 5 === 0) await feedback(project, message.deliveryId, `user ${i}`, "dismissed");
      return message.variantId;
    });
    const given = await Promise.all(reports);
    const { campaign } = await project.api.getCampaign({ path: { id } });
    const { shown, clicked, dismissed, ...rest } = campaign.stats;
    assert.deepEqual([shown, clicked, dismissed], [40, 20, 8]);
    assert.ok(Object.values(rest).every((count) => count === 0));
    for (const variant of campaign.variants)
      assert.equal(variant.stats.shown, given.filter((variantId) => variantId === variant.id).length);
    for (const name of Object.keys(campaign.stats) as (keyof typeof campaign.stats)[])
      assert.equal(
        campaign.variants.reduce((sum, { stats }) => sum + stats[name], 0),
        campaign.stats[name],
      );
    const listed = (await project.api.listCampaigns()).campaigns;
    const statsOf = (wanted: string) => listed.find((each) => each.id === wanted)?.stats;
    assert.deepEqual([statsOf(id), statsOf(other.id)], [campaign.stats, other.stats]);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
