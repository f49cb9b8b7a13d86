import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer, Input } from "@tidings/client";
import { launchCampaign } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";

const house = testHouse();

type Query = NonNullable<Input<"listAgentRuns">["query"]>;
type NewRun = Input<"createAgentRun">["body"];
type Run = Answer<"createAgentRun">["run"];

const log = async ({ api }: TestProject, body: Partial<NewRun> = {}): Promise<Run> =>
  (await api.createAgentRun({ body: { kind: "note", ...body } })).run;

const list = ({ agent }: TestProject, query: Query = {}) => agent.listAgentRuns({ query });

const idsOf = async (project: TestProject, query: Query = {}): Promise<string[]> =>
  (await list(project, query)).runs.map(({ id }) => id);

/** Newest first, and of one millisecond by id, descending. */
const inOrder = (runs: readonly Run[]): string[] =>
  runs.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)).map(({ id }) => id);

describe("listAgentRuns", () => {
  it("answers the newest first, page by page, with no run twice or left out among those of a millisecond", async () => {
    const project = await house.project();
    const made: Run[] = [];
    for (let i = 0; i < 61; i++) {
      if (i % 10 === 0) house.advance(1);
      made.push(await log(project));
    }
    const ids = inOrder(made);
    assert.deepEqual(await idsOf(project), ids.slice(0, 50));
    assert.deepEqual(await idsOf(project, { page: 2 }), ids.slice(50));
    assert.deepEqual(await idsOf(project, { page: 3 }), []);
    const found: string[] = [];
    for (let page = 1; page <= 9; page++) found.push(...(await idsOf(project, { perPage: 7, page })));
    assert.deepEqual(found, ids);
    const { runs: _, ...rest } = await list(project, { perPage: 7, page: 2 });
    assert.deepEqual(rest, { total: 61, page: 2, pageCount: 9 });
    assert.deepEqual(await list(await house.project()), { runs: [], total: 0, page: 1, pageCount: 0 });
  });

  it("filters by kind, goal and campaign, and by all of them", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Upgrades" } });
    const [one, two] = [await launchCampaign(project), await launchCampaign(project)];
    const links: readonly Partial<NewRun>[] = [
      {},
      { goalId: goal.id },
      { campaignId: one.id },
      { campaignId: two.id, goalId: goal.id },
    ];
    const runs: Run[] = [];
    for (const kind of ["evaluation", "提案 🎯"])
      for (const link of links) runs.push(await log(project, { kind, ...link }));
    const queries: readonly Query[] = [
      { kind: "evaluation" },
      { kind: "提案 🎯" },
      { goalId: goal.id },
      { campaignId: one.id },
      { campaignId: two.id, kind: "evaluation" },
      { campaignId: two.id, goalId: goal.id, kind: "提案 🎯" },
    ];
    for (const query of queries) {
      const expected = runs.filter(
        (run) =>
          (query.kind ?? run.kind) === run.kind &&
          (query.goalId ?? run.goalId) === run.goalId &&
          (query.campaignId ?? run.campaignId) === run.campaignId,
      );
      assert.ok(expected.length > 0);
      assert.deepEqual(await idsOf(project, query), inOrder(expected));
      assert.equal((await list(project, { ...query, perPage: 1 })).total, expected.length);
    }
    const nothing: readonly Query[] = [
      { kind: "Evaluation" },
      { kind: "eval" },
      { kind: "%" },
      { kind: "" },
      { kind: "x".repeat(200) },
      { goalId: one.id },
      { goalId: "x" },
      { goalId: goal.id.slice(5) },
      { goalId: goal.id.toUpperCase() },
      { campaignId: goal.id },
      { campaignId: "" },
      { campaignId: one.id, goalId: goal.id },
    ];
    for (const query of nothing)
      assert.deepEqual(await list(project, query), { runs: [], total: 0, page: 1, pageCount: 0 });
  });

  it("names the goals and campaigns of the runs that it answers, where asked", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Upgrades 🎯" } });
    const { goal: other } = await project.api.createGoal({ body: { name: "Renewals" } });
    const campaign = await launchCampaign(project, { name: "Spring" });
    await log(project, { goalId: other.id, input: { campaignId: campaign.id } });
    house.advance(1);
    await log(project, { goalId: goal.id, campaignId: campaign.id });
    assert.equal("references" in (await list(project)), false);
    const { references, runs } = await list(project, { include: "names", perPage: 1 });
    assert.deepEqual(references, {
      goals: { [goal.id]: "Upgrades 🎯" },
      campaigns: { [campaign.id]: "Spring" },
    });
    assert.equal(runs.length, 1);
    // Names are answered for the ids of the runs themselves; ids inside their JSON do not count.
    const second = await list(project, { include: "names", perPage: 1, page: 2 });
    assert.deepEqual(second.references, { goals: { [other.id]: "Renewals" }, campaigns: {} });
    await project.api.updateGoal({ path: { id: goal.id }, body: { name: "Renamed" } });
    const all = await list(project, { include: "names" });
    assert.deepEqual(all.references?.goals, { [goal.id]: "Renamed", [other.id]: "Renewals" });
    const none = await list(project, { include: "names", kind: "none" });
    assert.deepEqual(none.references, { goals: {}, campaigns: {} });
  });

  it("names the variants that reasons name, of the project alone", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const [{ variants }, { variants: theirs }] = [await launchCampaign(project), await launchCampaign(other)];
    const [mine, foreign] = [variants[0]?.id ?? "", theirs[0]?.id ?? ""];
    const gone = "var_00000000-0000-0000-0000-000000000000";
    await log(project, {
      rationale: `${mine} beats ${foreign}, ${gone} and ${mine}; var_1 and x${mine} do not count.`,
    });
    const { references } = await list(project, { include: "names" });
    assert.deepEqual(references?.variants, { [mine]: variants[0]?.name });
  });

  it("shows nothing of another project, and nothing by its ids", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    const { goal } = await other.api.createGoal({ body: { name: "Upgrades" } });
    const campaign = await launchCampaign(other);
    await log(other, { goalId: goal.id, campaignId: campaign.id });
    for (const query of [{}, { goalId: goal.id }, { campaignId: campaign.id }, { kind: "note" }])
      assert.equal((await list(mine, query)).total, 0);
    assert.equal((await list(other)).total, 1);
  });

  it("answers each page as the list stands at that moment, while runs are logged", async () => {
    const project = await house.project();
    const made: Run[] = [];
    const add = async (count: number) => {
      for (let i = 0; i < count; i++) made.push(await log(project));
    };
    await add(25);
    for (let page = 1; page <= 4; page++) {
      const { runs, total } = await list(project, { page, perPage: 10 });
      assert.equal(total, made.length);
      assert.deepEqual(
        runs.map(({ id }) => id),
        inOrder(made).slice((page - 1) * 10, page * 10),
      );
      if (page % 2 === 0) house.advance(1);
      await add(3);
    }
  });

  const refused: readonly [string, Record<string, unknown>][] = [
    ["kind", { kind: "x".repeat(201) }],
    ["goalId", { goalId: "x".repeat(201) }],
    ["campaignId", { campaignId: "x".repeat(201) }],
    ["include", { include: "ids" }],
    ["include", { include: "" }],
    ["page", { page: 0 }],
    ["page", { page: "x" }],
    ["perPage", { perPage: 0 }],
    ["perPage", { perPage: 101 }],
  ];
  for (const [field, query] of refused) {
    it(`refuses ${JSON.stringify(query).slice(0, 30)}`, async () => {
      const project = await house.project();
      const { status, error } = await refusal(list(project, query as Query));
      assert.deepEqual([status, error.startsWith(`${field} must `)], [400, true], error);
    });
  }

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
