import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { claim, dueCampaign, PAUSE, propose } from "../../../../test/agent.ts";
import { setSettings } from "../../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { clientOf } from "../../../../test/people.ts";
import { uuidFor } from "../../../domain/ids.ts";
import { HOUR_MS } from "../../../platform/time/clock.ts";

const house = testHouse();

/** A project with a campaign at which the agent has looked, a viewer, and the run of the decision. */
async function looked() {
  const project = await house.project();
  await setSettings(house, project, {
    "agent.policy": "statistical@1",
    "safety.maxConcurrentCampaigns": "9",
  });
  const made = await dueCampaign(house, project, { goal: { targetEvent: "paid" } });
  await house.tidings.drain("agent");
  const { runs } = await project.api.listAgentRuns({ query: { kind: "evaluate" } });
  const [run] = runs;
  assert.ok(run);
  const { client } = await clientOf(house, project.projectId, "viewer");
  return { project, made, run, client };
}

/** Changes what a run says, behind the back of the triggers that refuse it. */
async function alter({ projectId }: TestProject, runId: string, reason: string): Promise<void> {
  const client = await house.database.pool.connect();
  try {
    await client.query("begin");
    await client.query("set local session_replication_role = replica");
    await client.query(
      "update agent_runs set output = jsonb_set(output, '{decision,reason}', to_jsonb($3::text)) where project_id = $1 and id = $2",
      [projectId, uuidFor("run", runId), reason],
    );
    await client.query("commit");
  } finally {
    client.release();
  }
}

describe("a decision that people look at", () => {
  it("is made again and is equal; its place in the chain is whole", async () => {
    const { made, run, client } = await looked();
    const path = { id: run.id };
    const replayed = await client.replayAgentRun({ path });
    assert.deepEqual(replayed, {
      outcome: "equal",
      policy: "statistical@1",
      fault: null,
      at: house.now(),
    });
    const found = await client.getAgentRun({ path });
    assert.deepEqual([found.run, found.hasTranscript], [run, false]);
    assert.deepEqual(found.references.campaigns, { [made.id]: "Campaign" });
    const variants = made.campaign.variants.map(({ id, name }) => [id, name]);
    assert.deepEqual(found.references.variants, Object.fromEntries(variants));
    assert.equal(found.place?.isWhole, true);
    const { firstBreak, runs, headHash } = await client.verifyAgentRuns({});
    assert.equal(firstBreak, null);
    assert.ok(runs > 0 && headHash.length === 64);
  });

  it("that was altered differs, and breaks the chain at its place", async () => {
    const { project, run, client } = await looked();
    const { run: later } = await project.agent.createAgentRun({ body: { kind: "observation" } });
    await alter(project, run.id, "Because I say so");
    const path = { id: run.id };
    const { outcome, fault } = await client.replayAgentRun({ path });
    assert.equal(outcome, "differs");
    assert.match(fault ?? "", /Because I say so/);
    assert.equal((await client.getAgentRun({ path })).place?.isWhole, false);
    const { firstBreak } = await client.verifyAgentRuns({});
    assert.deepEqual([firstBreak?.runId, firstBreak?.seq], [run.id, run.chain?.seq]);
    const next = await client.getAgentRun({ path: { id: later.id } });
    assert.deepEqual([next.place?.isWhole, next.place?.nextId], [true, null]);
    const reason = (run.output as { decision: { reason: string } }).decision.reason;
    await alter(project, run.id, reason);
    assert.deepEqual(await house.differences(), {});
  });

  it("is none where a program of one's own logged it, and not there for another project", async () => {
    const { project, client } = await looked();
    const { run } = await project.agent.createAgentRun({
      body: { kind: "evaluate", campaignId: (await dueCampaign(house, project)).id, input: { any: "thing" } },
    });
    assert.equal((await client.replayAgentRun({ path: { id: run.id } })).outcome, "no_decision");
    const { client: stranger } = await clientOf(house, (await house.project()).projectId, "owner");
    assert.equal((await refusal(stranger.replayAgentRun({ path: { id: run.id } }))).status, 404);
    assert.equal((await refusal(stranger.getAgentRun({ path: { id: run.id } }))).status, 404);
    const { runs, headHash, firstBreak } = await stranger.verifyAgentRuns({});
    assert.deepEqual([runs, headHash, firstBreak], [0, "", null]);
  });
});

describe("what agents look after", () => {
  it("is listed with its next evaluation, whoever has it, and what waits for people", async () => {
    const { project, made, client } = await looked();
    const require_human = { goal: { approvalMode: "require_human" as const } };
    const waits = await dueCampaign(house, project, { ...require_human, name: "Waits" });
    const { leaseToken } = await claim(project, waits.id);
    const { proposal } = await propose(project, { ...waits, leaseToken }, PAUSE);
    const taken = await dueCampaign(house, project, { name: "Taken" });
    await claim(project, taken.id, 60);
    const due = await dueCampaign(house, project, { name: "Due" });
    const later = await dueCampaign(house, project, { name: "Later" });
    const { client: editor } = await clientOf(house, project.projectId, "editor");
    const nextEvaluationAt = house.now() + 48 * HOUR_MS;
    await editor.scheduleEvaluation({ path: { id: later.id }, body: { nextEvaluationAt } });
    const ended = await dueCampaign(house, project, { name: "Ended" });
    await project.api.setCampaignStatus({ path: { id: ended.id }, body: { action: "end" } });
    const { evaluations, total } = await client.listEvaluations({});
    const places = new Map(evaluations.map((each) => [each.campaignId, each.place]));
    assert.deepEqual(
      [waits, taken, due, later, made, ended].map(({ id }) => places.get(id)),
      ["awaiting_decision", "evaluating", "due", "planned", "planned", undefined],
    );
    assert.equal(total, 5);
    const named = evaluations.find(({ name }) => name === "Waits");
    assert.deepEqual([named?.proposalId, named?.goalName], [proposal.id, "Upgrades"]);
    assert.equal(evaluations.at(-1)?.nextEvaluationAt, nextEvaluationAt);
    const activity = await client.getAgentActivity({});
    assert.deepEqual(
      [activity.policy, activity.runsUsedToday, activity.evaluating, activity.everyHours],
      ["statistical@1", 3, 1, 24],
    );
    await project.agent.createAgentRun({ body: { kind: "observation" } });
    const usage = {
      executionId: "one",
      model: "small-1",
      calls: [{ inputTokens: 200_000, outputTokens: 10 }],
    };
    await project.agent.recordAgentUsage({ body: usage });
    await project.agent.recordAgentUsage({ body: { ...usage, executionId: "two" } });
    const [model, ...others] = (await client.getAgentActivity({})).usage.models;
    assert.deepEqual(others, []);
    const { ai } = await client.getAgentSettings({});
    assert.deepEqual(
      [model?.model, model?.runs, model?.inputTokens, model?.credits],
      ["small-1", 2, 400_000, ai.creditsUsed],
    );
  });
});
