import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import { leasedCampaign } from "../../../../../test/agent.ts";
import { feedback, launchCampaign, messagesOf, pausedByGuardrail } from "../../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { giveRole, makePerson } from "../../../../../test/people.ts";
import { uuidFor } from "../../../../domain/ids.ts";
import { clearBreaches } from "../../../guardrails/clear.ts";

const house = testHouse();

async function viewerOf({ projectId }: TestProject) {
  const person = await makePerson(house);
  await giveRole(house, projectId, person, "viewer");
  return createPeopleClient(house.url, person.headers(projectId));
}

describe("the limits of a goal", () => {
  it("say what each of its campaigns observes, and how many of them are active", async () => {
    const project = await house.project();
    const client = await viewerOf(project);
    const guardrails = {
      maxActiveCampaigns: 5,
      maxUnsubscribeRate: 0.02,
      minControlShare: 0.4,
      ours: "kept",
    };
    const { goal } = await project.api.createGoal({ body: { name: "Sales", guardrails } });
    const { id } = await launchCampaign(project, { name: "Running", goalId: goal.id });
    const [message] = await messagesOf(project, "ada");
    await feedback(project, message?.deliveryId ?? "", "ada", "shown");
    await launchCampaign(project, { name: "Draft", goalId: goal.id, launch: false });
    await launchCampaign(project, { name: "Of no goal" });
    await house.drain();
    const limits = await client.getGoalLimits({ path: { id: goal.id } });
    assert.deepEqual(limits, {
      goalId: goal.id,
      evaluatedAt: house.now(),
      fault: null,
      activeCampaigns: 1,
      errorBudget: null,
      campaigns: [
        {
          id,
          name: "Running",
          status: "running",
          readings: [
            { guardrail: "maxUnsubscribeRate", limit: 0.02, observed: 0 },
            { guardrail: "minControlShare", limit: 0.4, observed: 1 },
          ],
        },
      ],
      watched: 1,
      breaches: [],
    });
  });

  it("have each breach with its reason, until a person clears it and after", async () => {
    const project = await house.project();
    const client = await viewerOf(project);
    const { id, goalId } = await pausedByGuardrail(house, project);
    const breachesOf = async () => (await client.getGoalLimits({ path: { id: goalId } })).breaches;
    const [breach, ...more] = await breachesOf();
    assert.equal(more.length, 0);
    assert.ok(breach);
    const { runId, rationale, at: pausedAt, ...rest } = breach;
    assert.ok(pausedAt <= house.now());
    assert.match(String(runId), /^run_/);
    assert.match(String(rationale), /^Paused: variants\[0\]\.message\.title contains "hello"/);
    assert.deepEqual(rest, {
      campaignId: id,
      campaignName: "Risky",
      guardrail: "forbiddenPhrases",
      limit: 0,
      observed: 1,
      cleared: null,
    });
    const at = house.now();
    await house.database.kysely
      .transaction()
      .execute((tx) =>
        clearBreaches(tx, project.projectId, uuidFor("cmp", id), { by: "Ada", reason: "Looked at", at }),
      );
    assert.deepEqual((await breachesOf())[0]?.cleared, { at, by: "Ada", reason: "Looked at" });
    // The campaign goes over to another goal; the breach stays with the goal that it broke.
    const { goal: other } = await project.api.createGoal({ body: { name: "Other" } });
    await project.api.updateCampaign({ path: { id }, body: { goalId: other.id } });
    assert.equal((await breachesOf()).length, 1);
    assert.deepEqual((await client.getGoalLimits({ path: { id: other.id } })).breaches, []);
  });

  it("say what the error budget leaves to the next treatment", async () => {
    const project = await house.project();
    const client = await viewerOf(project);
    const { campaign } = await leasedCampaign(house, project, {
      goal: { targetEvent: "paid", attributionDays: 1, guardrails: { errorBudget: 0.05 } },
    });
    const { errorBudget } = await client.getGoalLimits({ path: { id: campaign.goalId ?? "" } });
    assert.ok(errorBudget);
    assert.deepEqual([errorBudget.limit, errorBudget.treatments, errorBudget.verdicts], [0.05, 1, 0]);
    // The second of the goal without a verdict so far: 2 * 3 / 0.05.
    assert.equal(Math.round(errorBudget.nextEvidence), 120);
  });

  it("name a guardrail of an older goal that cannot be read", async () => {
    const project = await house.project();
    const client = await viewerOf(project);
    const { goal } = await project.api.createGoal({ body: { name: "Old" } });
    await launchCampaign(project, { goalId: goal.id });
    await house.database.pool.query(
      `update goals set guardrails = '{"maxActiveCampaigns": 1.5}' where id = $1`,
      [uuidFor("goal", goal.id)],
    );
    const { fault, campaigns } = await client.getGoalLimits({ path: { id: goal.id } });
    assert.deepEqual(fault, {
      guardrail: "maxActiveCampaigns",
      message: "must be a whole number from 0 to 1000",
    });
    assert.deepEqual(
      campaigns.map(({ readings }) => readings),
      [[]],
    );
  });

  it("are those of the project's own goals", async () => {
    const client = await viewerOf(await house.project());
    const { goal } = await (await house.project()).api.createGoal({ body: { name: "Elsewhere" } });
    for (const id of [goal.id, "goal_none", "é".repeat(40)])
      assert.equal((await refusal(client.getGoalLimits({ path: { id } }))).status, 404);
  });
});

it("the campaigns of a goal are found in the list of campaigns", async () => {
  const project = await house.project();
  const { goal } = await project.api.createGoal({ body: { name: "Sales" } });
  const { id } = await launchCampaign(project, { goalId: goal.id });
  await launchCampaign(project, { name: "Of no goal" });
  const listed = async (goalId: string) =>
    (await project.agent.listCampaigns({ query: { goalId } })).campaigns.map((each) => each.id);
  assert.deepEqual(await listed(goal.id), [id]);
  assert.deepEqual(await listed("goal_none"), []);
});

it("the log of changes says what became of a goal, and no more", async () => {
  const project = await house.project();
  const person = await makePerson(house);
  await giveRole(house, project.projectId, person, "editor");
  const client = createPeopleClient(house.url, person.headers(project.projectId));
  const { goal } = await client.createGoal({
    body: { name: "Sales", targetEvent: "paid", guardrails: { maxActiveCampaigns: 2, ours: 1 } },
  });
  await client.updateGoal({
    path: { id: goal.id },
    body: { name: "Sales", holdoutPercent: 10, guardrails: { maxActiveCampaigns: 3, ours: 1 } },
  });
  await client.updateGoal({ path: { id: goal.id }, body: { guardrails: null, status: "archived" } });
  const { entries } = await client.listAuditEntries();
  assert.deepEqual(
    entries.map(({ before, after }) => ({ before, after })),
    [
      {
        before: { status: "active", guardrails: { maxActiveCampaigns: 3, ours: 1 } },
        after: { status: "archived" },
      },
      {
        before: { holdoutPercent: 0, guardrails: { maxActiveCampaigns: 2 } },
        after: { holdoutPercent: 10, guardrails: { maxActiveCampaigns: 3 } },
      },
      {
        before: null,
        after: {
          name: "Sales",
          targetEvent: "paid",
          approvalMode: "require_human",
          attributionDays: 7,
          holdoutPercent: 0,
          guardrails: { maxActiveCampaigns: 2, ours: 1 },
        },
      },
    ],
  );
});
