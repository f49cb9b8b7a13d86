import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { replay } from "@tidings/agent";
import { decideAs, dueCampaign, makeGoal, showTo } from "../../../../test/agent.ts";
import { setSettings } from "../../../../test/email.ts";
import { launchCampaign } from "../../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../platform/time/clock.ts";
import { lookAfter } from "./public.ts";

const house = testHouse();

/** Lets the agent look after everything that is due. */
const look = () => house.tidings.drain("agent");

/** A project whose campaigns the statistical policy looks after. */
async function watched(): Promise<TestProject> {
  const project = await house.project();
  await setSettings(house, project, { "agent.policy": "statistical@1", "safety.maxRunsPerDay": "10000" });
  return project;
}

const runsOf = async ({ api }: TestProject, kind = "evaluate") =>
  (await api.listAgentRuns({ query: { kind } })).runs;

const weightsOf = async ({ api }: TestProject, id: string) =>
  (await api.getCampaign({ path: { id } })).campaign.variants.map(({ weight }) => weight);

/** When a campaign is evaluated next. */
async function plannedAt(campaignId: string): Promise<number | null> {
  const rows = await house.database.kysely.selectFrom("evaluations").selectAll().execute();
  return rows.find((row) => `cmp_${row.campaignId}` === campaignId)?.evaluationAt ?? null;
}

const GOAL = { targetEvent: "paid", attributionDays: 1 } as const;
const B_SELLS = 120;

/** A campaign whose second variant is better, with the proposal that the agent has made about it. */
async function proposed(project: TestProject) {
  const made = await dueCampaign(house, project, { goal: { ...GOAL, approvalMode: "require_human" } });
  await showTo(project, made, B_SELLS);
  house.advance(2 * DAY_MS);
  await look();
  const { proposals } = await project.api.listProposals({ query: { campaignId: made.id } });
  const [proposal, ...others] = proposals;
  assert.ok(proposal);
  assert.deepEqual(others, []);
  return { ...made, proposal };
}

const actionOf = ({ output }: { output: unknown }) =>
  (output as { decision: { action: string } }).decision.action;

describe("the agent of Tidings", () => {
  it("plans a first look at each campaign that runs under a goal, once the project has a policy", async () => {
    const project = await house.project();
    const { id: goalId } = await makeGoal(project);
    const { id } = await launchCampaign(project, { goalId });
    const { id: without } = await launchCampaign(project, { name: "No goal" });
    house.advance(MINUTE_MS);
    await house.drain();
    assert.equal(await plannedAt(id), null);
    await setSettings(house, project, { "agent.policy": "statistical@1", "agent.everyHours": "6" });
    house.advance(MINUTE_MS);
    await house.drain();
    assert.equal(await plannedAt(id), house.now() + 6 * HOUR_MS);
    assert.equal(await plannedAt(without), null);
    const until = house.now() + 2 * HOUR_MS;
    const { id: short } = await launchCampaign(project, { name: "Short", goalId, deliverUntil: until });
    house.advance(MINUTE_MS);
    await house.drain();
    assert.equal(await plannedAt(short), until - 15 * MINUTE_MS);
  });

  it("does nothing before it knows enough, and says so", async () => {
    const project = await watched();
    const { id, evaluationAt } = await dueCampaign(house, project, { goal: GOAL });
    await look();
    const [run, ...more] = await runsOf(project);
    assert.ok(run);
    assert.deepEqual(more, []);
    assert.equal(run.rationale, "0 conversions have matured; traffic is divided by them from 20 on.");
    assert.equal(run.campaignId, id);
    assert.equal(await plannedAt(id), evaluationAt + DAY_MS);
    assert.deepEqual(await replay(run, []), { policy: "statistical@1", fault: null });
    await look();
    assert.equal((await runsOf(project)).length, 1);
  });

  it("gives all users to what is better", async () => {
    const project = await watched();
    const made = await dueCampaign(house, project, { goal: GOAL });
    await showTo(project, made, B_SELLS);
    house.advance(2 * DAY_MS);
    await look();
    const [run] = await runsOf(project);
    assert.match(run?.rationale ?? "", /^var_\S+ is better than the control, by at least \d+\.\d %/);
    assert.deepEqual(await weightsOf(project, made.id), [0, 100]);
    house.advance(DAY_MS);
    await look();
    assert.equal(
      (await runsOf(project))[0]?.rationale,
      "There is nothing to compare: one variant has all users.",
    );
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("asks people where the goal says so, and does exactly what they approve", async () => {
    const project = await watched();
    const made = await proposed(project);
    await look();
    const [run, ...others] = await runsOf(project);
    assert.deepEqual(others, []);
    assert.deepEqual(await weightsOf(project, made.id), [50, 50]);
    assert.equal(made.proposal.proposedRunId, run?.id);
    await decideAs(house, project, made.proposal.id, "approved");
    await look();
    assert.deepEqual(await weightsOf(project, made.id), [0, 100]);
    assert.equal((await runsOf(project)).length, 1);
    assert.equal(await plannedAt(made.id), house.now() + DAY_MS);
  });

  it("leaves a change alone that people rejected", async () => {
    const project = await watched();
    const made = await proposed(project);
    await decideAs(house, project, made.proposal.id, "rejected");
    await look();
    assert.deepEqual(await weightsOf(project, made.id), [50, 50]);
    assert.equal(await plannedAt(made.id), house.now() + DAY_MS);
  });

  it("says what a guardrail refuses although people approved it, and goes on", async () => {
    const project = await watched();
    const made = await proposed(project);
    await decideAs(house, project, made.proposal.id, "approved");
    const guardrails = { minControlShare: 0.2 };
    await project.api.updateGoal({ path: { id: made.goalId }, body: { guardrails } });
    await look();
    const [refused] = await runsOf(project, "refused");
    assert.ok(refused);
    assert.equal((refused.output as { guardrail?: string }).guardrail, "minControlShare");
    assert.deepEqual(await weightsOf(project, made.id), [50, 50]);
    assert.equal(await plannedAt(made.id), house.now() + DAY_MS);
  });

  it("says what was refused, and divides traffic until the evidence has grown", async () => {
    const project = await watched();
    const made = await dueCampaign(house, project, { goal: { ...GOAL, guardrails: { errorBudget: 0.001 } } });
    // 20 of 20 against 0 of 20, day by day: enough to claim (20), not enough for so small a budget (2,000).
    for (const day of [1, 2, 3, 4]) {
      await showTo(project, made, 5, day * 1_000);
      house.advance(2 * DAY_MS);
    }
    await look();
    const [refused] = await runsOf(project, "refused");
    assert.deepEqual(refused?.output, {
      reason: "insufficient_evidence",
      variantId: made.campaign.variants[1]?.id,
      eValueNeeded: 2_000,
    });
    assert.match(refused.rationale ?? "", /^Refused: /);
    assert.deepEqual(await weightsOf(project, made.id), [50, 50]);
    house.advance(DAY_MS);
    await look();
    const decisions = (await runsOf(project)).map(actionOf);
    assert.deepEqual(decisions, ["allocate", "ship"]);
    assert.deepEqual(await weightsOf(project, made.id), [20, 80]);
  });

  it("leaves drafts alone, and campaigns while the loop is paused", async () => {
    const project = await watched();
    await dueCampaign(house, project, { goal: GOAL, launch: false });
    await look();
    assert.deepEqual(await runsOf(project), []);
    await dueCampaign(house, project, { goal: GOAL, name: "Running" });
    await setSettings(house, project, { "safety.loopPaused": "true" });
    await look();
    assert.deepEqual(await runsOf(project), []);
    await setSettings(house, project, { "safety.loopPaused": "false" });
    await look();
    assert.equal((await runsOf(project)).length, 1);
  });

  it("acts on the decision that was logged, whoever logged it", async () => {
    const project = await watched();
    const made = await dueCampaign(house, project, { goal: GOAL });
    const { agent } = project;
    const { leaseToken } = await agent.claimEvaluation({ path: { id: made.id }, body: { leaseSeconds: 60 } });
    assert.ok(leaseToken);
    const [first, second] = made.campaign.variants;
    const mutation = { type: "update", variants: [{ id: second?.id, weight: 77 }] };
    await agent.createAgentRun({
      body: {
        kind: "evaluate",
        campaignId: made.id,
        idempotencyKey: `evaluate:${made.id}:${made.evaluationAt}`,
        input: {
          snapshot: { evaluationAt: made.evaluationAt, campaignId: made.id, goal: { id: made.goalId } },
          snapshotHash: "",
          policy: "statistical@1",
        },
        output: { decision: { action: "allocate", mutation, reason: "Before the end." } },
      },
    });
    house.advance(MINUTE_MS);
    await look();
    assert.deepEqual(await weightsOf(project, made.id), [first?.weight, 77]);
    assert.equal((await runsOf(project)).length, 1);
  });

  it("goes on with a new key after people have replaced theirs", async () => {
    const project = await watched();
    await dueCampaign(house, project, { goal: GOAL });
    await look();
    await house.database.kysely
      .updateTable("apiKeys")
      .set({ expiresAt: house.now() })
      .where("projectId", "=", project.projectId)
      .where("kind", "=", "agent")
      .execute();
    house.advance(MINUTE_MS);
    await dueCampaign(house, project, { goal: GOAL, name: "Later" });
    await look().catch(() => undefined);
    house.advance(MINUTE_MS);
    await look();
    assert.equal((await runsOf(project)).length, 2);
  });
});

describe("a campaign that nobody asked for", () => {
  it("is left alone without a policy", async () => {
    const project = await house.project();
    await dueCampaign(house, project, { goal: GOAL });
    await look();
    assert.equal(await lookAfter(house.tidings.app, project.projectId), 0);
    assert.deepEqual(await runsOf(project), []);
  });
});
