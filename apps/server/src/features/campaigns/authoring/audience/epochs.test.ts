import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchCampaign, messagesOf, toast } from "../../../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../../../test/harness.ts";
import { apiId, uuidOf } from "../../../../domain/ids.ts";

const house = testHouse();

type Row = {
  epoch: number;
  name: string;
  weight: number;
  goal: string | null;
  holdout: number;
  digest: string;
};

/** The allocations of a campaign, in order. */
async function allocationsOf(campaignId: string): Promise<Row[]> {
  const { rows } = await house.database.pool.query<Row & { goal: string | null }>(
    `select a.epoch, v.name, a.weight, a.goal_id as goal, a.holdout_percent as holdout, a.content_digest as digest
    from allocations a join variants v on v.id = a.variant_id where a.campaign_id = $1 order by a.epoch, v.position`,
    [uuidOf("cmp", campaignId)],
  );
  return rows.map((row) => ({ ...row, goal: row.goal === null ? null : apiId("goal", row.goal) }));
}

const brief = (rows: readonly Row[]): string[] =>
  rows.map(({ epoch, name, weight, holdout }) => `${epoch} ${name} ${weight} ${holdout}`);

const TWO = [
  { name: "A", weight: 90, isControl: true, message: toast("Hello") },
  { name: "B", weight: 10, message: toast("Hi") },
];

const twoVariants = (project: TestProject, more: object = {}) =>
  launchCampaign(project, { variants: TWO, ...more });

describe("the epochs of a campaign", () => {
  it("begin at the launch; a draft has none, whatever is changed in it", async () => {
    const { api } = await house.project();
    const { campaign } = await api.createCampaign({ body: { name: "Later", variants: TWO } });
    const path = { id: campaign.id };
    await api.updateCampaign({
      path,
      body: { variants: [{ name: "C", message: toast("C") }] },
    });
    assert.deepEqual(await allocationsOf(campaign.id), []);
    await api.setCampaignStatus({ path, body: { action: "launch" } });
    assert.deepEqual(brief(await allocationsOf(campaign.id)), ["1 A 90 0", "1 B 10 0", "1 C 1 0"]);
    for (const action of ["pause", "launch", "pause"] as const)
      await api.setCampaignStatus({ path, body: { action } });
    assert.equal((await allocationsOf(campaign.id)).length, 3, "a pause changes nothing that is compared");
  });

  it("change with weights, contents, variants and the goal, and with nothing else", async () => {
    const project = await house.project();
    const { api } = project;
    const { goal } = await api.createGoal({
      body: { name: "Sales", targetEvent: "paid", holdoutPercent: 20 },
    });
    const campaign = await twoVariants(project);
    const [a, b] = campaign.variants;
    const path = { id: campaign.id };
    const epochs = async () => Math.max(...(await allocationsOf(campaign.id)).map(({ epoch }) => epoch));
    const change = async (body: Parameters<typeof api.updateCampaign>[0]["body"]) => {
      await api.updateCampaign({ path, body });
      return epochs();
    };
    assert.equal(await change({ name: "Another name", pages: ["/a"], deliverUntil: house.now() + 1e9 }), 1);
    assert.equal(
      await change({ variants: [{ id: a?.id ?? "", name: "First", weight: 90, message: toast("Hello") }] }),
      1,
    );
    assert.equal(await change({ variants: [{ id: b?.id ?? "", weight: 30 }] }), 2);
    assert.equal(await change({ variants: [{ id: b?.id ?? "", message: toast("Hey") }] }), 3);
    assert.equal(await change({ variants: [{ name: "C", weight: 5, message: toast("Ho") }] }), 4);
    assert.equal(await change({ goalId: goal.id }), 5);
    assert.equal(await change({ goalId: goal.id }), 5);
    assert.equal(await change({ goalId: null }), 6);
    const rows = await allocationsOf(campaign.id);
    assert.deepEqual(brief(rows).slice(2), [
      "2 First 90 0",
      "2 B 30 0",
      "3 First 90 0",
      "3 B 30 0",
      "4 First 90 0",
      "4 B 30 0",
      "4 C 5 0",
      "5 First 90 20",
      "5 B 30 20",
      "5 C 5 20",
      "6 First 90 0",
      "6 B 30 0",
      "6 C 5 0",
    ]);
    assert.deepEqual([...new Set(rows.filter(({ epoch }) => epoch === 5).map((row) => row.goal))], [goal.id]);
    const digests = (name: string) =>
      new Set(rows.filter((row) => row.name === name).map(({ digest }) => digest));
    assert.deepEqual([digests("First").size, digests("B").size, digests("C").size], [1, 2, 1]);
  });

  it("change in all campaigns of a goal that go on, with its holdout alone", async () => {
    const project = await house.project();
    const { api } = project;
    const { goal } = await api.createGoal({ body: { name: "Sales", targetEvent: "paid" } });
    const [running, paused, ended] = [
      await twoVariants(project, { goalId: goal.id }),
      await twoVariants(project, { goalId: goal.id }),
      await twoVariants(project, { goalId: goal.id }),
    ];
    const stranger = await twoVariants(project);
    const { campaign: draft } = await api.createCampaign({
      body: { name: "Draft", variants: TWO, goalId: goal.id },
    });
    await api.setCampaignStatus({ path: { id: paused.id }, body: { action: "pause" } });
    await api.setCampaignStatus({ path: { id: ended.id }, body: { action: "end" } });
    const path = { id: goal.id };
    await api.updateGoal({ path, body: { name: "More sales", attributionDays: 3, targetEvent: "bought" } });
    await api.updateGoal({ path, body: { holdoutPercent: 0 } });
    await api.updateGoal({ path, body: { holdoutPercent: 10 } });
    const epochs = await Promise.all(
      [running, paused, ended, stranger, draft].map(async ({ id }) =>
        [...new Set((await allocationsOf(id)).map(({ epoch, holdout }) => `${epoch}:${holdout}`))].join(" "),
      ),
    );
    assert.deepEqual(epochs, ["1:0 2:10", "1:0 2:10", "1:0", "1:0", ""]);
  });

  it("are written into each delivery that is made in them", async () => {
    const project = await house.project();
    const campaign = await twoVariants(project);
    await messagesOf(project, "ada");
    await project.api.updateCampaign({
      path: { id: campaign.id },
      body: { variants: [{ id: campaign.variants[1]?.id ?? "", weight: 90 }] },
    });
    await messagesOf(project, "ada");
    await messagesOf(project, "bob");
    const { rows } = await house.database.pool.query<{ epoch: number }>(
      "select epoch from deliveries where campaign_id = $1 order by queued_at, epoch",
      [uuidOf("cmp", campaign.id)],
    );
    assert.deepEqual(rows, [{ epoch: 1 }, { epoch: 2 }]);
  });

  it("are opened by a goal and a campaign that change at once, and none misses the holdout", async () => {
    const project = await house.project();
    const { api } = project;
    const { goal } = await api.createGoal({ body: { name: "Sales", targetEvent: "paid" } });
    for (let round = 1; round <= 5; round++) {
      const campaign = await twoVariants(project);
      await Promise.all([
        api.updateCampaign({ path: { id: campaign.id }, body: { goalId: goal.id } }),
        api.updateGoal({ path: { id: goal.id }, body: { holdoutPercent: round * 5 } }),
      ]);
      const last = (await allocationsOf(campaign.id)).at(-1);
      assert.deepEqual([last?.goal, last?.holdout], [goal.id, round * 5]);
    }
  });

  it("leave no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
