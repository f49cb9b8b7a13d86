import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { claim, complete, dueCampaign, type Mutation, makeGoal, mutate } from "../../../../../test/agent.ts";
import { setSettings } from "../../../../../test/email.ts";
import { launchCampaign, toast } from "../../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { uuidFor } from "../../../../domain/ids.ts";
import { MINUTE_MS } from "../../../../platform/time/clock.ts";
import { alphaOf } from "../rules.ts";

const house = testHouse();
const BUDGET = { errorBudget: 0.05 };
const GOAL = { targetEvent: "paid", attributionDays: 7, approvalMode: "auto", guardrails: BUDGET } as const;

async function patientProject(): Promise<TestProject> {
  const project = await house.project();
  await setSettings(house, project, {
    "safety.maxRunsPerDay": "1000",
    "safety.maxConcurrentCampaigns": "20",
  });
  return project;
}

/** The places in the order of a goal, with the campaigns that have them. */
const placesOf = (goalId: string) =>
  house.database.kysely
    .selectFrom("verdictTests")
    .select(["t", "alpha", "campaignId"])
    .where("goalId", "=", uuidFor("goal", goalId))
    .orderBy("t")
    .execute();

/** A running campaign with the control A, and B and C, which is evaluated every minute. */
async function evaluatedCampaign(project: TestProject) {
  const { id: goalId } = await makeGoal(project, GOAL);
  const { id: otherGoalId } = await makeGoal(project, { ...GOAL, name: "Another" });
  const campaign = await launchCampaign(project, {
    goalId,
    variants: ["A", "B", "C"].map((title) => ({ message: toast(title), weight: 30 })),
  });
  const path = { id: campaign.id };
  await project.api.scheduleEvaluation({ path, body: { nextEvaluationAt: house.now() } });
  const [a, b, c] = campaign.variants.map(({ id }) => id) as [string, string, string];
  const { api } = project;
  return {
    goalId,
    otherGoalId,
    a,
    b,
    c,
    path,
    /** One evaluation, in which the program changes nothing. */
    async evaluate(): Promise<void> {
      const { leaseToken } = await claim(project, campaign.id);
      house.advance(1_000);
      await complete(project, campaign.id, leaseToken, house.now() + MINUTE_MS);
      house.advance(MINUTE_MS);
    },
    edit: (id: string, title: string) =>
      api.updateCampaign({ path, body: { variants: [{ id, message: toast(title) }] } }),
    weigh: (id: string, weight: number) => api.updateCampaign({ path, body: { variants: [{ id, weight }] } }),
    control: (id: string) => api.updateCampaign({ path, body: { variants: [{ id, isControl: true }] } }),
    move: (to: string) => api.updateCampaign({ path, body: { goalId: to } }),
    status: (action: "pause" | "launch") => api.setCampaignStatus({ path, body: { action } }),
    goal: (body: Parameters<typeof api.updateGoal>[0]["body"]) =>
      api.updateGoal({ path: { id: goalId }, body }),
    add: (title: string) =>
      api.updateCampaign({ path, body: { variants: [{ name: title, weight: 30, message: toast(title) }] } }),
    /** What the statistics compare for the goal, since when, and what they count: what begins anew reads otherwise here. */
    async compared(): Promise<string[]> {
      const { campaign: now } = await api.getCampaign({ path });
      const { goal } = await api.getGoal({ path: { id: now.goalId ?? "" } });
      const { statistics } = await api.getCampaignConversions({
        path,
        query: { event: goal.targetEvent ?? "" },
      });
      const control = statistics.variants.find(({ isControl }) => isControl)?.variantId ?? "";
      return statistics.variants.flatMap(({ variantId, comparison }) =>
        comparison === null
          ? []
          : [
              [
                ...[variantId, control].toSorted(),
                goal.id,
                goal.targetEvent,
                statistics.attributionDays,
                comparison.since,
              ].join(" "),
            ],
      );
    },
  };
}

type Evaluated = Awaited<ReturnType<typeof evaluatedCampaign>>;

/** What happens to a campaign, and how many tests it begins. */
const STEPS: readonly [what: string, begins: number, step: (it: Evaluated) => Promise<unknown>][] = [
  ["the launch", 2, async () => undefined],
  ["another look", 0, async () => undefined],
  ["other weights", 0, ({ weigh, b }) => weigh(b, 60)],
  ["no weight", 0, ({ weigh, b }) => weigh(b, 0)],
  ["weight again", 0, ({ weigh, b }) => weigh(b, 30)],
  ["a pause", 0, ({ status }) => status("pause")],
  ["its end", 0, ({ status }) => status("launch")],
  ["another text of B", 1, ({ edit, b }) => edit(b, "B2")],
  ["the text of before, which nobody counts on", 1, ({ edit, b }) => edit(b, "B")],
  ["the same text", 0, ({ edit, b }) => edit(b, "B")],
  ["another text of the control", 2, ({ edit, a }) => edit(a, "A2")],
  ["another text of B and of C", 2, async ({ edit, b, c }) => [await edit(b, "B3"), await edit(c, "C3")]],
  ["C as the control: A against C is what it was", 1, ({ control, c }) => control(c)],
  ["A as the control again", 0, ({ control, a }) => control(a)],
  ["another event", 2, ({ goal }) => goal({ targetEvent: "bought" })],
  ["the event of before", 0, ({ goal }) => goal({ targetEvent: "paid" })],
  ["another window", 2, ({ goal }) => goal({ attributionDays: 3 })],
  ["the window of before", 0, ({ goal }) => goal({ attributionDays: 7 })],
  ["a holdout", 0, ({ goal }) => goal({ holdoutPercent: 20 })],
  ["what a lift has to be", 0, ({ goal }) => goal({ guardrails: { ...BUDGET, minimumLift: 0.2 } })],
  ["another goal", 2, ({ move, otherGoalId }) => move(otherGoalId)],
  ["the goal of before", 0, ({ move, goalId }) => move(goalId)],
  ["a variant more", 1, ({ add }) => add("D")],
];

describe("the texts of a campaign under an error budget", () => {
  it("are each a test of its own, exactly where their comparison begins anew", async () => {
    const project = await patientProject();
    const it = await evaluatedCampaign(project);
    const seen = new Set<string>();
    for (const [what, begins, step] of STEPS) {
      const before = seen.size;
      await step(it);
      await it.evaluate();
      for (const each of await it.compared()) seen.add(each);
      const places = [...(await placesOf(it.goalId)), ...(await placesOf(it.otherGoalId))];
      assert.equal(places.length, seen.size, `${what}: as many tests as comparisons`);
      assert.equal(seen.size - before, begins, what);
    }
    for (const goalId of [it.goalId, it.otherGoalId]) {
      const places = await placesOf(goalId);
      assert.deepEqual(
        places.map(({ t, alpha }) => [t, alpha]),
        places.map((_, index) => [index + 1, alphaOf(BUDGET.errorBudget, index + 1, 0)]),
      );
    }
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("are not numbered before anybody can get them, and wait for the next claim once they are edited", async () => {
    const project = await patientProject();
    const made = await dueCampaign(house, project, { goal: GOAL, launch: false });
    const { id, campaign, goalId } = made;
    const path = { id };
    const evaluate = async () => {
      const { leaseToken } = await claim(project, id);
      await complete(project, id, leaseToken, house.now() + MINUTE_MS);
      house.advance(MINUTE_MS);
    };
    const [, b] = campaign.variants;
    assert.ok(b);
    for (const title of ["B2", "B3"]) {
      await evaluate();
      await project.api.updateCampaign({
        path,
        body: { variants: [{ id: b.id, message: toast(title), weight: 0 }] },
      });
    }
    await project.api.setCampaignStatus({ path, body: { action: "launch" } });
    await evaluate();
    assert.deepEqual(await placesOf(goalId), []);
    await project.api.updateCampaign({ path, body: { variants: [{ id: b.id, weight: 50 }] } });
    const { leaseToken, nextEvaluationAt: evaluationAt } = await claim(project, id);
    assert.equal((await placesOf(goalId)).length, 1);
    await project.api.updateCampaign({ path, body: { variants: [{ id: b.id, message: toast("B4") }] } });
    const retire: Mutation = { type: "update", variants: [{ id: b.id, weight: 0 }] };
    const { status, body } = await refusal(mutate(project, { id, evaluationAt, leaseToken }, retire));
    const { reason, eValueNeeded } = body as Record<string, unknown>;
    assert.deepEqual([status, reason], [403, "insufficient_evidence"]);
    assert.equal(Math.round(Number(eValueNeeded)), 120, "what the second place asks for");
    assert.equal((await placesOf(goalId)).length, 1);
  });

  it("get each place once, however many campaigns are claimed at once, again and again", async () => {
    const project = await patientProject();
    const { id: goalId } = await makeGoal(project, GOAL);
    const variants = ["A", "B", "C"].map((title) => ({ message: toast(title), weight: 30 }));
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) {
      // The same texts in another campaign are shown to other users: that is another test.
      const { id } = await launchCampaign(project, { name: `Campaign ${index}`, goalId, variants });
      ids.push(id);
      await project.api.scheduleEvaluation({ path: { id }, body: { nextEvaluationAt: house.now() } });
    }
    for (let round = 0; round < 3; round++) {
      const claimed = await Promise.all(
        ids.flatMap((id) => [claim(project, id), claim(project, id)].map((each) => each.catch(() => null))),
      );
      const leases = claimed.flatMap((each, index) => (each === null ? [] : [{ index, ...each }]));
      assert.equal(leases.length, ids.length);
      const places = await placesOf(goalId);
      assert.deepEqual(
        places.map(({ t }) => t),
        Array.from({ length: 10 + round * 5 }, (_, index) => index + 1),
      );
      for (const { index, leaseToken } of leases) {
        const path = { id: ids[Math.floor(index / 2)] ?? "" };
        const { campaign } = await project.api.getCampaign({ path });
        const b = campaign.variants[1]?.id ?? "";
        await project.api.updateCampaign({
          path,
          body: { variants: [{ id: b, message: toast(`B${round}`) }] },
        });
        await complete(project, path.id, leaseToken, house.now() + MINUTE_MS);
      }
      house.advance(MINUTE_MS);
    }
    assert.deepEqual(await house.differences(project.projectId), {});
  });
});
