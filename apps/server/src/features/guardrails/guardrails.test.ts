import assert from "node:assert/strict";
import { it } from "node:test";
import { feedback, launchCampaign, messagesOf, pausedByGuardrail, toast } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { uuidOf } from "../../domain/ids.ts";
import { DAY_MS } from "../../platform/clock.ts";
import { clearBreaches } from "./clear.ts";

const house = testHouse();

const launch = ({ api }: TestProject, id: string) =>
  api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
const statusOf = async ({ api }: TestProject, id: string) =>
  (await api.getCampaign({ path: { id } })).campaign.status;
const runsOf = async ({ api }: TestProject) =>
  (await api.listAgentRuns({ query: { kind: "guardrail" } })).runs;
const clear = ({ projectId }: TestProject, id: string) =>
  house.database.kysely.transaction().execute((tx) =>
    clearBreaches(tx, projectId, uuidOf("cmp", id) ?? "", {
      by: "Ada",
      reason: "Looked at",
      at: house.now(),
    }),
  );

async function shownTo(project: TestProject, count: number, prefix: string): Promise<void> {
  for (let user = 0; user < count; user++) {
    const [message] = await messagesOf(project, `${prefix}${user}`);
    await feedback(project, message?.deliveryId ?? "", `${prefix}${user}`, "shown");
  }
}

it("pauses a campaign whose conversion rate surely lies below its limit, until the limit or a person allows it", async () => {
  const project = await house.project();
  const guardrails = { minConversionRate: 0.5 };
  const { goal } = await project.api.createGoal({
    body: { name: "Upgrades", targetEvent: "upgraded", attributionDays: 1, guardrails },
  });
  const { id } = await launchCampaign(project, { goalId: goal.id });
  await shownTo(project, 20, "u");
  await house.drain();
  assert.equal(await statusOf(project, id), "running", "exposures that may still convert do not count");
  house.advance(DAY_MS);
  await house.drain();
  assert.equal(await statusOf(project, id), "paused");
  const [run, ...more] = await runsOf(project);
  assert.equal(more.length, 0);
  const { e, ...input } = (run?.input ?? {}) as Record<string, unknown>;
  assert.ok(Number(e) >= 100);
  assert.deepEqual(input, {
    ...{ guardrail: "minConversionRate", limit: 0.5, observed: 0 },
    counts: { all: 20, successes: 0 },
  });
  assert.deepEqual([run?.campaignId, run?.goalId, run?.output], [id, goal.id, { action: "pause" }]);
  assert.match(run?.rationale ?? "", /^Paused: the goal's minConversionRate is 0.5, and of 20 users 0 count/);
  assert.deepEqual(await messagesOf(project, "late"), []);

  const { status, body } = await refusal(launch(project, id));
  const { error, ...rest } = body as Record<string, unknown>;
  assert.match(String(error), /paused because it broke guardrails.minConversionRate/);
  assert.deepEqual(
    [status, rest],
    [409, { reason: "guardrail_violated", guardrail: "minConversionRate", limit: 0.5, observed: 0 }],
  );
  const change = (minConversionRate: number) =>
    project.api.updateGoal({ path: { id: goal.id }, body: { guardrails: { minConversionRate } } });
  await change(0.01);
  await launch(project, id);
  await house.drain();
  assert.equal(await statusOf(project, id), "running");
  await change(0.5);
  await house.drain();
  await house.drain();
  assert.equal((await runsOf(project)).length, 2, "a paused campaign is not paused again");

  assert.equal(await clear(await house.project(), id), null, "another project has no such campaign");
  assert.equal(await clear(project, id), 2);
  assert.equal(await clear(project, id), 0);
  await launch(project, id);
  await house.drain();
  assert.equal(await statusOf(project, id), "running", "what was counted before the clearing is over");
  house.advance(1);
  await shownTo(project, 20, "v");
  house.advance(DAY_MS);
  await house.drain();
  assert.equal(await statusOf(project, id), "paused");
  assert.deepEqual(await house.differences(), {});
});

it("pauses a running campaign once its goal forbids what it says, and launches it with other words", async () => {
  const project = await house.project();
  const { id } = await pausedByGuardrail(house, project);
  assert.equal(await statusOf(project, id), "paused");
  const [run] = await runsOf(project);
  assert.equal(run?.rationale, 'Paused: variants[0].message.title contains "hello", which the goal forbids.');
  assert.equal((await refusal(launch(project, id))).status, 409);
  await project.api.updateCampaign({ path: { id }, body: { message: toast("Good day") } });
  await launch(project, id);
  await house.drain();
  assert.equal(await statusOf(project, id), "running");
  assert.deepEqual(await house.differences(), {});
});

it("pauses for unsubscriptions and complaints, of what was shown or sent", async () => {
  const project = await house.project();
  for (const [guardrail, column] of [
    ["maxUnsubscribeRate", "unsubscribed"],
    ["maxComplaintRate", "complained"],
  ] as const) {
    const { goal } = await project.api.createGoal({
      body: { name: column, guardrails: { [guardrail]: 0.01 } },
    });
    const [bad, good] = [
      await launchCampaign(project, { goalId: goal.id }),
      await launchCampaign(project, { goalId: goal.id }),
    ];
    for (const [campaign, count] of [
      [bad, 30],
      [good, 3],
    ] as const)
      await house.database.pool.query(
        `insert into campaign_stats (lane, campaign_id, variant_id, project_id, shown, ${column}) values (0, $1, $2, $3, 300, $4)`,
        [uuidOf("cmp", campaign.id), uuidOf("var", campaign.variants[0]?.id ?? ""), project.projectId, count],
      );
    await house.drain();
    assert.deepEqual(
      [await statusOf(project, bad.id), await statusOf(project, good.id)],
      ["paused", "running"],
    );
    const { body } = await refusal(launch(project, bad.id));
    assert.equal((body as { guardrail: string }).guardrail, guardrail);
  }
});
