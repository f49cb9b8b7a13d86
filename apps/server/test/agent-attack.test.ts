import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mutateCampaign } from "../src/features/agent/evaluations/changes/mutate-campaign.ts";
import { createProposal } from "../src/features/agent/evaluations/proposals/create-proposal.ts";
import { deleteProject } from "../src/features/portable/delete-project.ts";
import { tables } from "../src/features.ts";
import {
  agentHistory,
  claim,
  complete,
  decideAs,
  dueCampaign,
  END,
  LAUNCH,
  leasedCampaign,
  type Mutation,
  makeGoal,
  mutate,
  PAUSE,
  propose,
} from "./agent.ts";
import { setSettings } from "./email.ts";
import { launchCampaign, toast } from "./factories.ts";
import { refusal, type TestProject, testHouse } from "./harness.ts";

const house = testHouse();

const reasonOf = async (answer: Promise<unknown>) => {
  const { status, body } = await refusal(answer);
  return [status, (body as { reason?: string }).reason];
};

const weightsOf = (variants: readonly { id: string }[], weights: readonly number[]): Mutation => ({
  type: "update",
  variants: variants.map(({ id }, index) => ({ id, weight: weights[index] ?? 0 })),
});

const REVIEWED = { approvalMode: "require_human" } as const;
const DAY = 86_400_000;

async function post(project: TestProject, path: string, raw: string) {
  const answer = await fetch(house.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${project.agentKey}`, "content-type": "application/json" },
    body: raw,
  });
  return [answer.status, ((await answer.json()) as { error: string }).error];
}

describe("the budget of a day", () => {
  it("pays for who takes over after a decision, so that a crash loop ends", async () => {
    const project = await house.project();
    const it = await leasedCampaign(house, project, { goal: REVIEWED });
    const { proposal } = await propose(project, it, PAUSE);
    await decideAs(house, project, proposal.id, "rejected");
    const used = async () => (await project.agent.listDueEvaluations()).runsUsedToday;
    assert.equal(await used(), 1);
    const free: boolean[] = [];
    for (let n = 0; n < 4; n++) {
      const due = (await project.agent.listDueEvaluations()).campaigns[0]?.decidedContinuation;
      const { decidedContinuation } = await claim(project, it.id, 1);
      assert.equal(due, decidedContinuation);
      free.push(decidedContinuation);
      house.advance(1_000);
    }
    assert.deepEqual(free, [true, false, false, false]);
    assert.equal(await used(), 4);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("holds under parallel claims, as does the number of leases", async () => {
    const project = await house.project();
    await setSettings(house, project, { "safety.maxConcurrentCampaigns": "5", "safety.maxRunsPerDay": "3" });
    const made = [];
    for (let n = 0; n < 6; n++) made.push(await dueCampaign(house, project, { name: `C${n}` }));
    const all = await Promise.allSettled(
      made.flatMap(({ id }) => Array.from({ length: 4 }, () => claim(project, id))),
    );
    assert.equal(all.filter(({ status }) => status === "fulfilled").length, 3);
    assert.equal((await project.agent.listDueEvaluations()).runsUsedToday, 3);
    assert.deepEqual(await house.differences(project.projectId), {});
  });
});

it("a draft whose window is over is listed as it can be claimed, and can be concluded", async () => {
  const project = await house.project();
  const goal = await makeGoal(project);
  const { campaign } = await project.api.createCampaign({
    body: { name: "D", goalId: goal.id, message: toast(), deliverUntil: house.now() + 1_000 },
  });
  await project.api.scheduleEvaluation({
    path: { id: campaign.id },
    body: { nextEvaluationAt: house.now() },
  });
  house.advance(2_000);
  const { campaigns } = await project.agent.listDueEvaluations();
  assert.deepEqual(
    campaigns.map(({ campaignId, effectiveStatus }) => [campaignId, effectiveStatus]),
    [[campaign.id, "draft"]],
  );
  const { leaseToken } = await claim(project, campaign.id);
  assert.equal((await complete(project, campaign.id, leaseToken, null)).concluded, true);
});

it("the error budget of one goal is not spent under another", async () => {
  const project = await house.project();
  const lax = { targetEvent: "paid", guardrails: { errorBudget: 0.5 } };
  const it = await leasedCampaign(house, project, { goal: lax });
  const strict = await makeGoal(project, { targetEvent: "paid", guardrails: { errorBudget: 0.001 } });
  await project.api.updateCampaign({ path: { id: it.id }, body: { goalId: strict.id } });
  const { body } = await refusal(mutate(project, it, weightsOf(it.campaign.variants, [0, 100])));
  const { reason, eValueNeeded } = body as { reason?: string; eValueNeeded?: number };
  assert.equal(reason, "insufficient_evidence");
  // What the first place in the order of the strict goal asks for: 1 / (0.001 · 1 / 2).
  assert.equal(eValueNeeded, 2_000);
  await project.api.updateCampaign({ path: { id: it.id }, body: { goalId: it.goalId } });
  const back = await refusal(mutate(project, it, weightsOf(it.campaign.variants, [0, 100])));
  assert.equal((back.body as { eValueNeeded?: number }).eValueNeeded, 4);
  assert.deepEqual(await house.differences(project.projectId), {});
});

it("numbers that JSON cannot write are refused, not crashed on", async () => {
  const project = await house.project();
  const it = await leasedCampaign(house, project);
  const [variant] = it.campaign.variants;
  const mutation = `{"type":"update","variants":[{"id":"${variant?.id}","message":{"presentation":"toast","title":"A","x":1e999}}]}`;
  const common = `"leaseToken":"${it.leaseToken}","evaluationAt":${it.evaluationAt},"mutation":${mutation}`;
  const mutated = await post(project, mutateCampaign.spec.path.replace("{id}", it.id), `{${common}}`);
  const proposed = await post(project, createProposal.spec.path, `{${common},"campaignId":"${it.id}"}`);
  assert.deepEqual([mutated[0], proposed[0]], [400, 400], JSON.stringify([mutated, proposed]));
});

describe("parallel requests", () => {
  it("apply a change once, with one approval used", async () => {
    const project = await house.project();
    const it = await leasedCampaign(house, project, { goal: REVIEWED, launch: false });
    const proposals = await Promise.all(Array.from({ length: 6 }, () => propose(project, it, LAUNCH)));
    assert.equal(new Set(proposals.map(({ proposal }) => proposal.id)).size, 1);
    const approvalId = proposals[0]?.proposal.id ?? "";
    const decided = await Promise.allSettled(
      (["approved", "rejected", "approved", "rejected"] as const).map((status) =>
        decideAs(house, project, approvalId, status),
      ),
    );
    assert.equal(decided.filter(({ status }) => status === "fulfilled").length, 1);
    const { proposal } = await project.agent.getProposal({ path: { id: approvalId } });
    const { leaseToken } = await claim(project, it.id);
    const lease = { ...it, leaseToken };
    const done = await Promise.allSettled(
      Array.from({ length: 8 }, () => mutate(project, lease, LAUNCH, { approvalId })),
    );
    const applied = done.filter(({ status }) => status === "fulfilled").length;
    assert.equal(applied, proposal.status === "approved" ? 8 : 0);
    const { rows } = await house.database.pool.query("select from applied_mutations where project_id = $1", [
      project.projectId,
    ]);
    assert.equal(rows.length, proposal.status === "approved" ? 1 : 0);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("of every kind neither lock each other up nor leave anything broken", async () => {
    const project = await house.project();
    await setSettings(house, project, {
      "safety.maxConcurrentCampaigns": "50",
      "safety.maxRunsPerDay": "1000",
    });
    const goal = { approvalMode: "auto", guardrails: { errorBudget: 0.05, maxActiveCampaigns: 50 } } as const;
    const made = [];
    const { id: goalId } = await makeGoal(project, goal);
    for (let n = 0; n < 3; n++) {
      const campaign = await launchCampaign(project, {
        name: `C${n}`,
        goalId,
        variants: [{ message: toast("A") }, { message: toast("B") }],
      });
      await project.api.scheduleEvaluation({
        path: { id: campaign.id },
        body: { nextEvaluationAt: house.now() },
      });
      const { leaseToken } = await claim(project, campaign.id);
      made.push({ id: campaign.id, campaign, leaseToken, evaluationAt: house.now() });
    }
    const statuses: number[] = [];
    const watch = (request: Promise<unknown>) =>
      request.catch((error: { status?: number; body?: { reason?: string } }) => {
        statuses.push(error.status ?? 0);
        if ((error.status ?? 0) >= 500 || error.status === undefined) throw error;
      });
    for (let round = 0; round < 4; round++)
      await Promise.all(
        made.flatMap((each, n) => [
          watch(mutate(project, each, weightsOf(each.campaign.variants, [50 + round, 50 - n]))),
          watch(mutate(project, each, { type: "status", action: round % 2 === 0 ? "pause" : "launch" })),
          watch(propose(project, each, END)),
          watch(claim(project, each.id)),
          watch(project.api.updateCampaign({ path: { id: each.id }, body: { name: `N${round}` } })),
          watch(project.api.updateGoal({ path: { id: goalId }, body: { holdoutPercent: round } })),
          watch(project.api.updateGoal({ path: { id: goalId }, body: { name: `G${round}` } })),
          watch(project.agent.createAgentRun({ body: { kind: "evaluate", campaignId: each.id, goalId } })),
          watch(project.api.setCampaignStatus({ path: { id: each.id }, body: { action: "pause" } })),
          watch(project.api.setCampaignStatus({ path: { id: each.id }, body: { action: "launch" } })),
          watch(complete(project, each.id, each.leaseToken, house.now() + DAY)),
        ]),
      );
    assert.deepEqual(await house.differences(project.projectId), {});
  });
});

it("another project's ids are those of nothing", async () => {
  const [mine, other] = [await house.project(), await house.project()];
  const it = await leasedCampaign(house, mine, { goal: REVIEWED });
  const theirs = await leasedCampaign(house, other, { goal: REVIEWED });
  const { proposal } = await propose(other, theirs, PAUSE);
  const { run } = await other.agent.createAgentRun({ body: { kind: "x", campaignId: theirs.id } });
  const found = [
    await reasonOf(mutate(mine, theirs, PAUSE)),
    await reasonOf(mutate(mine, it, PAUSE, { approvalId: proposal.id })),
    await reasonOf(propose(mine, theirs, PAUSE)),
    await reasonOf(propose(mine, it, PAUSE, { proposedRunId: run.id })),
    await reasonOf(claim(mine, theirs.id)),
    await reasonOf(complete(mine, theirs.id, theirs.leaseToken, null)),
    await reasonOf(mine.agent.getProposal({ path: { id: proposal.id } })),
  ].map(([status]) => status);
  assert.deepEqual(found, [404, 404, 404, 400, 404, 404, 404]);
  const { proposals } = await mine.agent.listProposals({ query: { campaignId: theirs.id } });
  assert.deepEqual(proposals, []);
});

it("a project with all that agents did can be deleted", async () => {
  const project = await house.project();
  await agentHistory(house, project);
  await project.agent.recordAgentUsage({ body: { executionId: "e", calls: [{}] } });
  await deleteProject(house.database.kysely, {
    projectId: project.projectId,
    tables,
    now: house.now(),
    waitMs: 0,
  });
  const { rows } = await house.database.pool.query("select from proposals where project_id = $1", [
    project.projectId,
  ]);
  assert.equal(rows.length, 0);
});
