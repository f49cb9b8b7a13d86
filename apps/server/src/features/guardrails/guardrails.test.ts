import assert from "node:assert/strict";
import { it } from "node:test";
import { feedback, launchCampaign, messagesOf, pausedByGuardrail, toast } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { untilWaiting } from "../../../test/waiting.ts";
import { uuidOf } from "../../domain/ids.ts";
import { atOneInstant } from "../../platform/db/transactions/at-one-instant.ts";
import { DAY_MS } from "../../platform/time/clock.ts";
import { findCampaign } from "../campaigns/authoring/public.ts";
import { clearBreaches } from "./clear.ts";
import { observeGuardrails } from "./observe.ts";

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
    guardrail: "minConversionRate",
    limit: 0.5,
    observed: 0,
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

it("keeps the limits that can be read where another one of the goal cannot", async () => {
  const project = await house.project();
  const { goal } = await project.api.createGoal({ body: { name: "Upgrades" } });
  const { id } = await launchCampaign(project, { goalId: goal.id, message: toast("A month for free") });
  // As a goal of before limits were checked has it, or a damaged row.
  const limits = (guardrails: object) =>
    house.database.pool.query("update goals set guardrails = $2 where id = $1", [
      uuidOf("goal", goal.id),
      JSON.stringify(guardrails),
    ]);
  await limits({ maxComplaintRate: "low" });
  await house.drain();
  assert.equal(await statusOf(project, id), "running", "a limit that cannot be read pauses nothing");
  await limits({ maxComplaintRate: "low", forbiddenPhrases: ["free"] });
  house.advance(30_000);
  await house.drain();
  assert.equal(await statusOf(project, id), "paused");
  assert.match((await runsOf(project))[0]?.rationale ?? "", /contains "free"/);
});

/** Has the first so many of these users do an event. */
async function converted(project: TestProject, count: number, prefix: string, event: string): Promise<void> {
  for (let user = 0; user < count; user++)
    await project.api.track({ body: { userId: `${prefix}${user}`, event } });
}

/** A campaign that was paused because 5 of 20 users converted, on the last of these days, and that a person has cleared since. */
async function paused(project: TestProject, attributionDays: number) {
  const { goal } = await project.api.createGoal({
    body: { name: "One", targetEvent: "one", attributionDays, guardrails: { minConversionRate: 0.8 } },
  });
  const { id } = await launchCampaign(project, { goalId: goal.id });
  await shownTo(project, 20, "u");
  house.advance((attributionDays - 1) * DAY_MS + 1);
  await converted(project, 5, "u", "one");
  house.advance(DAY_MS);
  await house.drain();
  assert.equal(await statusOf(project, id), "paused");
  assert.equal(await clear(project, id), 1);
  return { id, goalId: goal.id };
}

/** What the guardrail of the campaign observes. */
async function observedOf({ projectId }: TestProject, id: string): Promise<(number | null)[]> {
  const { kysely } = house.database;
  const campaign = await findCampaign(kysely, projectId, uuidOf("cmp", id) ?? "");
  assert.ok(campaign !== null);
  const readings = await atOneInstant(kysely, (tx) => observeGuardrails(tx, campaign, house.now()));
  return readings.map(({ observed }) => observed);
}

for (const [what, { body, was, event, days }] of Object.entries({
  "the same question": { body: null, was: 1, event: "one", days: 1 },
  "another event": { body: { targetEvent: "two" }, was: 1, event: "two", days: 1 },
  "a longer window": { body: { attributionDays: 3 }, was: 1, event: "one", days: 3 },
  "a shorter window": { body: { attributionDays: 1 }, was: 3, event: "one", days: 1 },
  "another goal": { body: "goal" as const, was: 1, event: "two", days: 1 },
}))
  it(`counts conversions anew after a clearing: ${what}`, async () => {
    const project = await house.project();
    const { id, goalId } = await paused(project, was);
    if (body === "goal") {
      const { goal } = await project.api.createGoal({
        body: {
          name: "Two",
          targetEvent: event,
          attributionDays: days,
          guardrails: { minConversionRate: 0.8 },
        },
      });
      await project.api.updateCampaign({ path: { id }, body: { goalId: goal.id } });
    } else if (body !== null) await project.api.updateGoal({ path: { id: goalId }, body });
    house.advance(1);
    await launch(project, id);
    await house.drain();
    assert.deepEqual([await statusOf(project, id), await observedOf(project, id)], ["running", [null]]);
    // The others of then convert late, which belongs to what was cleared, however long the window is.
    await converted(project, 20, "u", "one");
    await shownTo(project, 24, "v");
    await converted(project, 24, "v", event);
    house.advance(days * DAY_MS);
    await house.drain();
    assert.deepEqual([await statusOf(project, id), await observedOf(project, id)], ["running", [1]]);
    // Those who do not convert are counted as well.
    await shownTo(project, 96, "w");
    house.advance(days * DAY_MS);
    await house.drain();
    assert.deepEqual([await statusOf(project, id), await observedOf(project, id)], ["paused", [0.2]]);
    const { e: _, ...input } = ((await runsOf(project))[0]?.input ?? {}) as Record<string, unknown>;
    assert.deepEqual(input, {
      guardrail: "minConversionRate",
      limit: 0.8,
      observed: 0.2,
      counts: { all: 120, successes: 24 },
    });
    assert.deepEqual(await house.differences(project.projectId), {});
  });

it("does not pause for what was counted before a clearing, or for another event, that came meanwhile", async () => {
  for (const meanwhile of ["clearing", "event"] as const) {
    const project = await house.project();
    const { id, goalId } = await paused(project, 1);
    house.advance(1);
    await launch(project, id);
    await shownTo(project, 20, "v");
    await converted(project, 20, "v", "two");
    house.advance(DAY_MS);
    await house.drain();
    assert.equal(await statusOf(project, id), "paused");
    // Launched with a limit that allows it, so that the breach is open while it runs.
    const change = (minConversionRate: number) =>
      project.api.updateGoal({ path: { id: goalId }, body: { guardrails: { minConversionRate } } });
    await change(0);
    await launch(project, id);
    await change(0.8);
    const holder = await house.database.background.pool.connect();
    try {
      await holder.query("begin");
      await holder.query("select from campaigns where id = $1 for no key update", [uuidOf("cmp", id)]);
      const looked = house.drain();
      await untilWaiting(house, 1);
      if (meanwhile === "event")
        await holder.query("update goals set target_event = 'two' where id = $1", [uuidOf("goal", goalId)]);
      else
        await holder.query(
          "update guardrail_breaches set cleared_at = $2, cleared_by = 'Ada', clear_reason = 'Looked at', cleared_counts = $3 where campaign_id = $1 and cleared_at is null",
          [uuidOf("cmp", id), house.now(), { sent: 0, unsubscribed: 0, complained: 0 }],
        );
      await holder.query("commit");
      await looked;
    } finally {
      holder.release();
    }
    assert.equal(await statusOf(project, id), "running", meanwhile);
  }
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
    assert.equal(await clear(project, bad.id), 1);
    await launch(project, bad.id);
    const add = async (shown: number, more: number) => {
      await house.database.pool.query(
        `update campaign_stats set shown = shown + $2, ${column} = ${column} + $3 where campaign_id = $1`,
        [uuidOf("cmp", bad.id), shown, more],
      );
      await house.drain();
      return statusOf(project, bad.id);
    };
    assert.deepEqual([await add(3, 0), await add(297, 30)], ["running", "paused"]);
  }
});
