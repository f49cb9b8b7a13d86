import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import {
  claim,
  complete,
  dueCampaign,
  leasedCampaign,
  type Mutation,
  makeGoal,
  mutate,
  PAUSE,
} from "../../../../test/agent.ts";
import { setSettings } from "../../../../test/email.ts";
import { launchCampaign, toast } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { DAY_MS, MINUTE_MS } from "../../../platform/time/clock.ts";

const house = testHouse();

type GoalBody = Partial<Input<"createGoal">["body"]>;

const NEXT_DAY = () => house.now() + DAY_MS;

const due = (project: TestProject, goal: GoalBody = {}, launch = true) =>
  dueCampaign(house, project, { goal, launch });

const leased = (project: TestProject, goal: GoalBody = {}, launch = true) =>
  leasedCampaign(house, project, { goal, launch });

/** Status and reason of a refusal. */
async function reasonOf(answer: Promise<unknown>): Promise<[number, unknown]> {
  const { status, body } = await refusal(answer);
  return [status, (body as { reason?: string }).reason];
}

const dueIds = async ({ agent }: TestProject): Promise<string[]> =>
  (await agent.listDueEvaluations()).campaigns.map(({ campaignId }) => campaignId);

describe("scheduleEvaluation", () => {
  it("plans and moves an evaluation, which is listed once it is due", async () => {
    const project = await house.project();
    const { id, campaign, goalId } = await due(project);
    const { campaigns, ...bounds } = await project.agent.listDueEvaluations();
    assert.deepEqual(campaigns, [
      {
        campaignId: id,
        name: campaign.name,
        goalId,
        effectiveStatus: "running",
        nextEvaluationAt: house.now(),
        decidedContinuation: false,
      },
    ]);
    assert.deepEqual(bounds, { loopPaused: false, runsUsedToday: 0, maxRunsPerDay: 20 });
    const nextEvaluationAt = NEXT_DAY();
    const moved = await project.api.scheduleEvaluation({ path: { id }, body: { nextEvaluationAt } });
    assert.deepEqual(moved, { campaignId: id, nextEvaluationAt });
    assert.deepEqual(await dueIds(project), []);
    house.advance(DAY_MS);
    assert.deepEqual(await dueIds(project), [id]);
  });

  it("refuses a campaign that no agent may look after", async () => {
    const project = await house.project();
    const { id: goalId } = await makeGoal(project);
    const scheduleRefusal = (id: string, nextEvaluationAt: unknown = house.now()) =>
      refusal(
        project.api.scheduleEvaluation({
          path: { id },
          body: { nextEvaluationAt: nextEvaluationAt as number },
        }),
      );
    const without = await launchCampaign(project);
    assert.deepEqual(
      (await scheduleRefusal(without.id)).error,
      "nextEvaluationAt needs a campaign with a goal",
    );
    const ended = await launchCampaign(project, { goalId });
    await project.api.setCampaignStatus({ path: { id: ended.id }, body: { action: "end" } });
    assert.match((await scheduleRefusal(ended.id)).error, /is not over: this one is ended/);
    const windowed = await launchCampaign(project, {
      goalId,
      deliverFrom: house.now() + MINUTE_MS,
      deliverUntil: house.now() + 2 * MINUTE_MS,
    });
    for (const outside of [0, 2 * MINUTE_MS]) {
      const { status, error } = await scheduleRefusal(windowed.id, house.now() + outside);
      assert.deepEqual(
        [status, error],
        [400, "nextEvaluationAt must lie within the campaign's delivery window"],
      );
    }
    for (const wrong of ["soon", 5, null, "2026-01-01T00:00"]) {
      const { status, error } = await scheduleRefusal(windowed.id, wrong);
      assert.deepEqual([status, error.startsWith("nextEvaluationAt must ")], [400, true], error);
    }
    await project.api.updateGoal({ path: { id: goalId }, body: { status: "archived" } });
    assert.match((await scheduleRefusal(windowed.id)).error, /active goal: this one is archived/);
    const other = await house.project();
    const foreign = await due(other);
    assert.equal((await scheduleRefusal(foreign.id)).status, 404);
    const { status } = await refusal(
      project.agent.scheduleEvaluation({ path: { id: without.id }, body: { nextEvaluationAt: house.now() } }),
    );
    assert.equal(status, 403);
  });

  it("waits for the lease and for people", async () => {
    const project = await house.project();
    const it = await leased(project);
    const again = () =>
      reasonOf(
        project.api.scheduleEvaluation({ path: { id: it.id }, body: { nextEvaluationAt: NEXT_DAY() } }),
      );
    assert.deepEqual(await again(), [409, "leased"]);
    await project.agent.createProposal({
      body: { campaignId: it.id, evaluationAt: it.evaluationAt, leaseToken: it.leaseToken, mutation: PAUSE },
    });
    assert.deepEqual(await again(), [409, "awaiting_decision"]);
  });
});

describe("claimEvaluation", () => {
  it("gives one lease to many who ask at once, and pays once", async () => {
    const project = await house.project();
    const { id, evaluationAt } = await due(project);
    const requests = await Promise.allSettled(Array.from({ length: 12 }, () => claim(project, id)));
    const granted = requests.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    assert.equal(granted.length, 1);
    const [lease] = granted;
    assert.match(lease?.leaseToken ?? "", /^lease_[A-Za-z0-9_-]{32}$/);
    assert.deepEqual(
      { ...lease, leaseToken: null },
      { leaseToken: null, nextEvaluationAt: evaluationAt, decidedContinuation: false, applied: [] },
    );
    assert.equal((await project.agent.listDueEvaluations()).runsUsedToday, 1);
    assert.deepEqual(await dueIds(project), []);
    assert.deepEqual(await reasonOf(claim(project, id)), [409, "leased"]);
  });

  it("says why it cannot be, in one order, and costs nothing then", async () => {
    const project = await house.project();
    const { id, goalId } = await due(project);
    const { id: later } = await launchCampaign(project, { goalId });
    assert.deepEqual(await reasonOf(claim(project, later)), [409, "not_due"]);
    await project.api.scheduleEvaluation({ path: { id: later }, body: { nextEvaluationAt: NEXT_DAY() } });
    assert.deepEqual(await reasonOf(claim(project, later)), [409, "not_due"]);
    await setSettings(house, project, { "safety.loopPaused": "true" });
    assert.deepEqual(await dueIds(project), []);
    assert.deepEqual(await reasonOf(claim(project, id)), [409, "loop_paused"]);
    await setSettings(house, project, { "safety.loopPaused": "false", "safety.maxConcurrentCampaigns": "0" });
    assert.deepEqual(await reasonOf(claim(project, id)), [409, "concurrency"]);
    await setSettings(house, project, { "safety.maxConcurrentCampaigns": "5", "safety.maxRunsPerDay": "0" });
    assert.deepEqual(await dueIds(project), []);
    assert.deepEqual(await reasonOf(claim(project, id)), [409, "budget_spent"]);
    await setSettings(house, project, { "safety.maxRunsPerDay": "20" });
    await project.api.updateGoal({ path: { id: goalId }, body: { status: "archived" } });
    assert.deepEqual(await dueIds(project), []);
    assert.deepEqual(await reasonOf(claim(project, id)), [409, "ineligible"]);
    assert.equal((await project.agent.listDueEvaluations()).runsUsedToday, 0);
    assert.equal((await refusal(claim(await house.project(), id))).status, 404);
  });

  it("lets the next one in after its time, who pays again", async () => {
    const project = await house.project();
    const { id, evaluationAt } = await due(project);
    const first = await claim(project, id, 60);
    house.advance(60_000 - 1);
    assert.deepEqual(await reasonOf(claim(project, id)), [409, "leased"]);
    house.advance(1);
    const second = await claim(project, id);
    assert.notEqual(second.leaseToken, first.leaseToken);
    assert.equal((await project.agent.listDueEvaluations()).runsUsedToday, 2);
    const late = { id, evaluationAt, leaseToken: first.leaseToken };
    assert.deepEqual(await reasonOf(mutate(project, late, PAUSE)), [409, "lease_lost"]);
    assert.deepEqual(await reasonOf(complete(project, id, first.leaseToken, NEXT_DAY())), [
      409,
      "lease_lost",
    ]);
    assert.equal((await mutate(project, { ...late, leaseToken: second.leaseToken }, PAUSE)).status, "paused");
  });

  it("keeps within the day's budget and the number at once, however many ask", async () => {
    const project = await house.project();
    await setSettings(house, project, { "safety.maxConcurrentCampaigns": "3", "safety.maxRunsPerDay": "4" });
    const campaigns: Awaited<ReturnType<typeof due>>[] = [];
    for (let i = 0; i < 8; i++) campaigns.push(await due(project));
    const ask = async () => {
      const requests = await Promise.allSettled(
        campaigns.map(async ({ id }) => ({ id, ...(await claim(project, id)) })),
      );
      return requests.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    };
    const first = await ask();
    assert.equal(first.length, 3);
    for (const { id, leaseToken } of first) await complete(project, id, leaseToken, NEXT_DAY());
    const second = await ask();
    assert.equal(second.length, 1);
    assert.equal((await project.agent.listDueEvaluations()).runsUsedToday, 4);
    house.advance(DAY_MS);
    assert.equal((await project.agent.listDueEvaluations()).runsUsedToday, 0);
    assert.equal((await ask()).length, 3);
  });

  it("takes a lease of 1 to 3600 seconds", async () => {
    const project = await house.project();
    const { id } = await due(project);
    for (const leaseSeconds of [0, 3_601, 1.5, "5", null]) {
      const { status, error } = await refusal(claim(project, id, leaseSeconds as number));
      assert.deepEqual([status, error.startsWith("leaseSeconds must be")], [400, true], error);
    }
    await claim(project, id, 3_600);
  });
});

describe("completeEvaluation", () => {
  it("gives the lease back with the instant of the next one", async () => {
    const project = await house.project();
    const { id, leaseToken } = await leased(project);
    const nextEvaluationAt = house.now() + MINUTE_MS;
    assert.deepEqual(await complete(project, id, leaseToken, nextEvaluationAt), {
      concluded: false,
      nextEvaluationAt,
    });
    assert.deepEqual(await dueIds(project), []);
    assert.deepEqual(await reasonOf(complete(project, id, leaseToken, nextEvaluationAt)), [
      409,
      "lease_lost",
    ]);
    house.advance(MINUTE_MS);
    assert.deepEqual(await dueIds(project), [id]);
  });

  it("keeps the lease where it refuses, and works while the loop is paused", async () => {
    const project = await house.project();
    const { id, leaseToken } = await leased(project);
    const { status, error } = await refusal(complete(project, id, leaseToken, house.now() + MINUTE_MS - 1));
    assert.deepEqual([status, error], [400, "nextEvaluationAt must be at least 60 seconds ahead"]);
    assert.deepEqual(await reasonOf(complete(project, id, leaseToken, null)), [409, "still_eligible"]);
    await setSettings(house, project, { "safety.loopPaused": "true" });
    assert.equal((await complete(project, id, leaseToken, NEXT_DAY())).concluded, false);
  });

  it("concludes what is over, and drafts", async () => {
    const project = await house.project();
    const draft = await leased(project, {}, false);
    assert.deepEqual(await complete(project, draft.id, draft.leaseToken, null), {
      concluded: true,
      nextEvaluationAt: null,
    });
    const over = await leased(project);
    await mutate(project, over, { type: "status", action: "end" });
    const { error } = await refusal(complete(project, over.id, over.leaseToken, NEXT_DAY()));
    assert.match(error, /not over: this one is ended/);
    assert.equal((await complete(project, over.id, over.leaseToken, null)).concluded, true);
    house.advance(DAY_MS);
    assert.deepEqual(await dueIds(project), []);
  });
});

describe("mutateCampaign", () => {
  it("launches, changes, pauses and ends, with a run for each", async () => {
    const project = await house.project();
    const it = await leased(project, {}, false);
    const [a, b] = it.campaign.variants;
    assert.ok(a && b);
    const update: Mutation = {
      type: "update",
      name: "By an agent",
      variants: [
        { id: a.id, weight: 20 },
        { id: b.id, weight: 80, name: "Bold", message: toast("Now") },
      ],
    };
    const steps: [Mutation, string][] = [
      [update, "draft"],
      [{ type: "status", action: "launch" }, "running"],
      [PAUSE, "paused"],
      [{ type: "status", action: "end" }, "ended"],
    ];
    for (const [mutation, status] of steps)
      assert.deepEqual(await mutate(project, it, mutation), { campaignId: it.id, applied: mutation, status });
    const { campaign } = await project.api.getCampaign({ path: { id: it.id } });
    assert.deepEqual(
      [campaign.name, campaign.status, campaign.variants.map(({ name, weight }) => [name, weight])],
      [
        "By an agent",
        "ended",
        [
          ["A", 20],
          ["Bold", 80],
        ],
      ],
    );
    const { runs } = await project.api.listAgentRuns({ query: { kind: "mutate", campaignId: it.id } });
    assert.equal(runs.length, 4);
    assert.ok(runs.every(({ goalId }) => goalId === it.goalId));
  });

  it("is answered the same when it is repeated, under its token and under the next lease", async () => {
    const project = await house.project();
    const it = await leased(project);
    const first = await mutate(project, it, PAUSE);
    const repeats = await Promise.all(Array.from({ length: 6 }, () => mutate(project, it, PAUSE)));
    for (const repeat of repeats) assert.deepEqual(repeat, first);
    house.advance(300_000);
    const { leaseToken, applied } = await claim(project, it.id);
    assert.deepEqual(
      applied.map(({ mutation }) => mutation),
      [PAUSE],
    );
    assert.deepEqual(await mutate(project, { ...it, leaseToken }, PAUSE), first);
    assert.deepEqual(await mutate(project, it, PAUSE), first);
    await project.api.setCampaignStatus({ path: { id: it.id }, body: { action: "launch" } });
    assert.deepEqual(await reasonOf(mutate(project, it, PAUSE)), [409, "undone"]);
    assert.equal((await project.api.getCampaign({ path: { id: it.id } })).campaign.status, "running");
    assert.equal((await project.api.listAgentRuns({ query: { kind: "mutate" } })).total, 1);
    const other = { ...it, leaseToken: `lease_${"x".repeat(32)}` };
    assert.deepEqual(await reasonOf(mutate(project, other, PAUSE)), [409, "lease_lost"]);
  });

  it("applies a change once, however many ask at once", async () => {
    const project = await house.project();
    const it = await leased(project);
    const answers = await Promise.all(Array.from({ length: 10 }, () => mutate(project, it, PAUSE)));
    assert.ok(answers.every(({ status }) => status === "paused"));
    assert.equal((await project.api.listAgentRuns({ query: { kind: "mutate" } })).total, 1);
  });

  it("refuses what does not fit the lease, the loop or the campaign", async () => {
    const project = await house.project();
    const it = await leased(project);
    const wrongInstant = { ...it, evaluationAt: it.evaluationAt + 1 };
    assert.deepEqual(await reasonOf(mutate(project, wrongInstant, PAUSE)), [409, "evaluation_mismatch"]);
    await setSettings(house, project, { "safety.loopPaused": "true" });
    assert.deepEqual(await reasonOf(mutate(project, it, PAUSE)), [409, "loop_paused"]);
    await setSettings(house, project, { "safety.loopPaused": "false" });
    assert.deepEqual(await reasonOf(mutate(project, it, { type: "status", action: "launch" })), [
      409,
      undefined,
    ]);
    await project.api.setCampaignStatus({ path: { id: it.id }, body: { action: "end" } });
    assert.deepEqual(await reasonOf(mutate(project, it, PAUSE)), [409, "ineligible"]);
    const foreign = await leased(await house.project());
    assert.equal((await refusal(mutate(project, foreign, PAUSE))).status, 404);
  });

  it("names the field of what it refuses, and changes nothing", async () => {
    const project = await house.project();
    const it = await leased(project);
    const [a, b] = it.campaign.variants;
    assert.ok(a && b);
    const nowhere = "var_019b0000-0000-7000-8000-000000000000";
    const refused: [unknown, RegExp][] = [
      [null, /^mutation must be/],
      [{ type: "other" }, /^mutation\.type must be/],
      [{ type: "status", action: "delete" }, /^mutation\.action must be/],
      [{ type: "status", action: "pause", more: 1 }, /^mutation\.more/],
      [{ type: "update" }, /^mutation must change the name or variants/],
      [{ type: "update", name: "" }, /^mutation\.name must not be empty/],
      [{ type: "update", name: "x".repeat(81) }, /^mutation\.name must be at most 80/],
      [{ type: "update", variants: [] }, /^mutation\.variants must/],
      [{ type: "update", variants: [{ id: a.id }] }, /^mutation\.variants\[0\] must change something/],
      [{ type: "update", variants: [{ id: nowhere, weight: 1 }] }, /^mutation\.variants: .* not a variant/],
      [
        {
          type: "update",
          variants: [
            { id: a.id, weight: 1 },
            { id: a.id, weight: 2 },
          ],
        },
        /^mutation\.variants must not name a variant twice/,
      ],
      [{ type: "update", variants: [{ id: a.id, weight: 101 }] }, /^mutation\.variants\[0\]\.weight must be/],
      [{ type: "update", variants: [{ id: a.id, isControl: true }] }, /^mutation\.variants\[0\]\.isControl/],
      [
        {
          type: "update",
          variants: [
            { id: a.id, weight: 0 },
            { id: b.id, weight: 0 },
          ],
        },
        /^mutation\.variants must have at least one weight above 0/,
      ],
      [
        { type: "update", variants: [{ id: a.id, message: { presentation: "toast" } }] },
        /^mutation\.variants\[0\]\.message must have a title or a body/,
      ],
      [
        { type: "update", variants: [{ id: a.id, name: "B" }] },
        /^mutation\.variants must have different names/,
      ],
    ];
    for (const [mutation, message] of refused) {
      const { status, error } = await refusal(mutate(project, it, mutation as Mutation));
      assert.equal(status, 400, error);
      assert.match(error, message);
    }
    const { campaign } = await project.api.getCampaign({ path: { id: it.id } });
    assert.deepEqual(campaign.variants, it.campaign.variants);
  });

  it("names the run in which the agent says why", async () => {
    const project = await house.project();
    const it = await leased(project);
    const { run } = await project.agent.createAgentRun({ body: { kind: "evaluate", campaignId: it.id } });
    const { run: elsewhere } = await project.agent.createAgentRun({ body: { kind: "note" } });
    const { error } = await refusal(mutate(project, it, PAUSE, { runId: elsewhere.id }));
    assert.equal(error, "runId must be a run about this campaign");
    await mutate(project, it, PAUSE, { runId: run.id });
    assert.equal((await project.api.listAgentRuns({ query: { kind: "mutate" } })).total, 0);
    house.advance(300_000);
    assert.deepEqual(
      (await claim(project, it.id)).applied.map(({ runId }) => runId),
      [run.id],
    );
  });
});
