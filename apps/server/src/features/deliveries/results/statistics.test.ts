import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { feedback, launchCampaign, messagesOf, toast } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { userRef, uuidOf } from "../../../domain/ids.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { isHeldOut } from "../public.ts";

const house = testHouse();

afterEach(async () => assert.deepEqual(await house.differences(), {}));

const noUsers = { exposedUsers: 0, convertedUsers: 0 };
const people = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => `user-${from + n}`);
const TWO = [{ message: toast("A") }, { message: toast("B") }];

const goalOf = async (
  { api }: TestProject,
  body: { attributionDays?: number; holdoutPercent?: number } = {},
) => (await api.createGoal({ body: { name: "Sales", targetEvent: "paid", ...body } })).goal;

const statisticsOf = async ({ api }: TestProject, id: string, series?: "day") => {
  const query = { event: "paid", ...(series && { series }) };
  return (await api.getCampaignConversions({ path: { id }, query })).statistics;
};

/** Shows each user what the feed has for them; answers who got which variant, by title. */
async function show(project: TestProject, users: readonly string[]): Promise<Map<string, string[]>> {
  const shown = new Map<string, string[]>();
  for (const user of users) {
    for (const { deliveryId, content } of await messagesOf(project, user)) {
      await feedback(project, deliveryId, user, "shown");
      const title = content.title ?? "";
      shown.set(title, [...(shown.get(title) ?? []), user]);
    }
  }
  return shown;
}

/** Users pay, at an instant that has passed. */
async function pay({ api }: TestProject, users: readonly string[], ts: number): Promise<void> {
  if (users.length === 0) return;
  await api.trackBatch({ body: { events: users.map((userId) => ({ userId, event: "paid", ts })) } });
}

describe("the statistics of a campaign", () => {
  it("say nothing where nothing happened, and compare nothing where there is one variant", async () => {
    const project = await house.project();
    const { id, variants } = await launchCampaign(project, { goalId: (await goalOf(project)).id });
    const { snapshot, ...statistics } = await statisticsOf(project, id);
    assert.match(snapshot, /^[0-9a-f]{64}$/);
    const variantId = variants[0]?.id ?? "";
    assert.deepEqual(statistics, {
      method: "split-1",
      attributionDays: 7,
      maturedUntil: house.now() - 7 * DAY_MS,
      alpha: 0.05,
      comparisons: 0,
      threshold: 20,
      isGoalEvent: true,
      unknownAllocation: 0,
      merged: { units: 0, share: 0 },
      sampleRatio: {
        eValue: 1,
        threshold: 1_000,
        mismatch: false,
        since: house.now(),
        arms: [{ variantId, exposedUsers: 0, expectedUsers: 0 }],
      },
      variants: [
        {
          variantId,
          isControl: true,
          weight: 1,
          matured: noUsers,
          pending: noUsers,
          rate: { estimate: null, lower: 0, upper: 1 },
          comparison: null,
        },
      ],
      decision: null,
      plan: null,
      holdout: null,
    });
    assert.deepEqual((await statisticsOf(project, id, "day")).series, []);
  });

  it("count a conversion within the attribution window, to the millisecond, once the window has ended", async () => {
    const project = await house.project();
    const goal = await goalOf(project, { attributionDays: 3 });
    const { id } = await launchCampaign(project, { goalId: goal.id });
    const shownAt = house.now();
    await show(project, ["early", "first", "last", "late"]);
    await pay(project, ["early"], shownAt - 1);
    await pay(project, ["first"], shownAt);
    const outcome = async () => {
      const { variants, maturedUntil } = await statisticsOf(project, id);
      assert.equal(maturedUntil, house.now() - 3 * DAY_MS);
      return [variants[0]?.matured, variants[0]?.pending];
    };
    assert.deepEqual(await outcome(), [noUsers, { exposedUsers: 4, convertedUsers: 1 }]);
    house.at(shownAt + 3 * DAY_MS - 1);
    assert.deepEqual(await outcome(), [noUsers, { exposedUsers: 4, convertedUsers: 1 }]);
    house.advance(1);
    await pay(project, ["last"], house.now());
    assert.deepEqual(await outcome(), [{ exposedUsers: 4, convertedUsers: 2 }, noUsers]);
    house.advance(1);
    await pay(project, ["late"], house.now());
    assert.deepEqual(await outcome(), [{ exposedUsers: 4, convertedUsers: 2 }, noUsers]);
    const { totals } = await project.api.getCampaignConversions({ path: { id }, query: { event: "paid" } });
    assert.equal(totals.convertedUsers, 3, "without a window, whoever paid later has converted too");
  });

  it("ask the single events where the first is too early and the last too late", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, {
      goalId: (await goalOf(project, { attributionDays: 1 })).id,
    });
    await pay(project, ["both", "inside"], house.now() - 1);
    const shownAt = house.now();
    await show(project, ["both", "inside"]);
    house.advance(5 * DAY_MS);
    await pay(project, ["inside"], shownAt + DAY_MS);
    await pay(project, ["both", "inside"], shownAt + DAY_MS + 1);
    const { variants } = await statisticsOf(project, id);
    assert.deepEqual(variants[0]?.matured, { exposedUsers: 2, convertedUsers: 1 });
  });

  it("claim a difference, say what to do, and when that could have been said first", async () => {
    const project = await house.project();
    const goal = await goalOf(project, { attributionDays: 1 });
    const campaign = await launchCampaign(project, { goalId: goal.id, variants: TWO });
    const [control, other] = campaign.variants.map(({ id }) => id);
    const shown = await show(project, people(60));
    await pay(project, shown.get("B") ?? [], house.now());
    const before = await statisticsOf(project, campaign.id);
    assert.equal(before.decision?.action, "continue", "no user has matured");
    house.advance(5 * DAY_MS);
    const { variants, decision, comparisons, threshold, ...rest } = await statisticsOf(
      project,
      campaign.id,
      "day",
    );
    assert.deepEqual([comparisons, threshold], [1, 20]);
    assert.deepEqual(decision, { action: "ship", variantId: other, retire: [] });
    const comparison = variants.find(({ variantId }) => variantId === other)?.comparison;
    assert.ok(comparison && comparison.eValue > 20 && comparison.relative.lower > 0);
    assert.deepEqual([comparison.verdict, comparison.relative.upper], ["better", null]);
    assert.ok(comparison.bestChance > 0.99);
    const claimedAt =
      Date.UTC(2026, 0, 1) + Math.ceil((house.now() - Date.UTC(2026, 0, 1)) / DAY_MS - 4) * DAY_MS;
    assert.equal(comparison.firstClaimAt, claimedAt);
    const { series = [] } = rest;
    assert.deepEqual(
      series.map(({ at }) => at),
      [0, 1, 2, 3].map((day) => claimedAt + day * DAY_MS),
    );
    assert.deepEqual(
      series.map(({ variants }) => variants.find(({ variantId }) => variantId === other)?.eValue),
      Array(4).fill(comparison.eValue),
    );
    assert.equal(variants.find(({ variantId }) => variantId === control)?.comparison, null);
    const others = await project.api.getCampaignConversions({
      path: { id: campaign.id },
      query: { event: "looked" },
    });
    assert.equal(others.statistics.decision, null, "only the goal's event decides");
    assert.equal(others.statistics.isGoalEvent, false);
  });

  it("keep the epochs of different weights apart, and count edited content anew", async () => {
    const project = await house.project();
    const goal = await goalOf(project, { attributionDays: 1 });
    const { id, variants } = await launchCampaign(project, { goalId: goal.id, variants: TWO });
    await show(project, people(10));
    house.advance(DAY_MS);
    const update = (weights: readonly number[], title = "B") =>
      project.api.updateCampaign({
        path: { id },
        body: {
          variants: variants.map((each, place) => ({
            id: each.id,
            weight: weights[place] ?? 0,
            message: toast(place === 0 ? "A" : title),
          })),
        },
      });
    await update([10, 90]);
    await show(project, people(10, 10));
    house.advance(DAY_MS);
    const exposures = async () => {
      const { variants, sampleRatio } = await statisticsOf(project, id);
      return {
        users: variants.map(({ matured, pending }) => matured.exposedUsers + pending.exposedUsers),
        since: variants[1]?.comparison?.since,
        ratioSince: sampleRatio.since,
        ratio: sampleRatio.arms.map(({ expectedUsers }) => expectedUsers),
      };
    };
    const launchedAt = house.now() - 2 * DAY_MS;
    const all = await exposures();
    assert.equal(all.users[0] === undefined ? 0 : all.users[0] + (all.users[1] ?? 0), 20);
    assert.deepEqual([all.since, all.ratioSince], [launchedAt, launchedAt]);
    assert.deepEqual(all.ratio, [10 / 2 + 10 * 0.1, 10 / 2 + 10 * 0.9], "each epoch by its own weights");
    await update([10, 90], "Better");
    const edited = await exposures();
    assert.deepEqual(edited.users, [all.users[0], 0], "what the control showed did not change");
    assert.deepEqual([edited.since, edited.ratioSince], [house.now(), house.now()]);
    assert.deepEqual(edited.ratio, [0, 0]);
  });

  it("raise the alarm where users are not split as the weights say, and then decide nothing", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, { goalId: (await goalOf(project)).id, variants: TWO });
    // Only one of the two messages is ever shown, as by a page that fails on the other one.
    for (const user of people(300)) {
      for (const { deliveryId, content } of await messagesOf(project, user)) {
        if (content.title === "A") await feedback(project, deliveryId, user, "shown");
      }
    }
    const { sampleRatio, decision } = await statisticsOf(project, id);
    assert.ok(sampleRatio.mismatch && sampleRatio.eValue >= 1_000);
    const [shown, other] = sampleRatio.arms;
    assert.ok((shown?.exposedUsers ?? 0) > 100);
    assert.equal(shown?.expectedUsers, (shown?.exposedUsers ?? 0) / 2);
    assert.equal(other?.exposedUsers, 0);
    assert.deepEqual(decision, { action: "blocked", variantId: null, retire: [] });
  });

  it("leave out users whose weights noUsers knows any more, and say how many they are", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, { variants: TWO });
    await show(project, people(8));
    await house.database.pool.query("update deliveries set epoch = 0 where campaign_id = $1", [
      uuidOf("cmp", id),
    ]);
    const { unknownAllocation, variants } = await statisticsOf(project, id);
    assert.equal(unknownAllocation, 8);
    assert.deepEqual(
      variants.map(({ pending }) => pending),
      [noUsers, noUsers],
    );
  });

  it("say how long an answer takes at the traffic of the last full days", async () => {
    const project = await house.project();
    const goal = await goalOf(project, { attributionDays: 1 });
    const { id } = await launchCampaign(project, { goalId: goal.id, variants: TWO });
    house.advance(DAY_MS);
    for (let day = 0; day < 3; day++) {
      const shown = await show(project, people(20, day * 20));
      if (day === 0) await pay(project, [...shown.values()].flat(), house.now());
      house.advance(DAY_MS);
    }
    const { plan } = await statisticsOf(project, id);
    assert.equal(plan?.exposedPerDay, 20);
    assert.deepEqual(
      plan?.lifts.map(({ lift }) => lift),
      [0.05, 0.1, 0.2, 0.5],
    );
    for (const { days50, days80 } of plan?.lifts ?? []) {
      assert.ok(days50 === null || (days80 !== null && days50 < days80));
    }
    const detectable = plan?.detectable.map(({ lift }) => lift ?? 0) ?? [];
    assert.deepEqual(
      detectable,
      [...detectable].sort((a, b) => b - a),
      "more days show smaller lifts",
    );
  });

  it("can be planned before a launch, from what is expected", async () => {
    const project = await house.project();
    const goal = await goalOf(project, { attributionDays: 2 });
    const draft = await launchCampaign(project, { goalId: goal.id, variants: TWO, launch: false });
    const path = { id: draft.id };
    const query = { controlRate: 0.04, exposedPerDay: 300 };
    const { plan, comparisons, attributionDays } = await project.agent.getCampaignPlan({ path, query });
    assert.deepEqual(
      [comparisons, attributionDays, plan?.exposedPerDay, plan?.controlRate],
      [1, 2, 300, 0.04],
    );
    for (const { users50, users80, days50, days80 } of plan?.lifts ?? []) {
      assert.ok(users50 !== null && users80 !== null && users50 < users80);
      assert.deepEqual([days50, days80], [Math.ceil(users50 / 300) + 2, Math.ceil(users80 / 300) + 2]);
    }
    const lifts = plan?.detectable.map(({ lift }) => lift ?? 0) ?? [];
    assert.ok(lifts.length === 3 && lifts.every((lift, place) => lift < (lifts[place - 1] ?? Infinity)));
    const one = await launchCampaign(project, { launch: false });
    assert.equal((await project.api.getCampaignPlan({ path: { id: one.id }, query })).plan, null);
    for (const [name, value] of [
      ["controlRate", 0] as const,
      ["controlRate", 1] as const,
      ["controlRate", "4 %"] as const,
      ["exposedPerDay", -1] as const,
      ["exposedPerDay", 1e99] as const,
      ["exposedPerDay", "\0"] as const,
    ]) {
      const wrong = refusal(
        project.api.getCampaignPlan({ path, query: { ...query, [name]: value as number } }),
      );
      assert.match((await wrong).error, new RegExp(name));
    }
    const stranger = await house.project();
    assert.equal((await refusal(stranger.api.getCampaignPlan({ path, query }))).status, 404);
  });

  it("equal a plain reading of all deliveries and events", async () => {
    const project = await house.project();
    const goal = await goalOf(project, { attributionDays: 2 });
    const { id, variants } = await launchCampaign(project, { goalId: goal.id, variants: TWO });
    const start = house.now();
    const users = people(40);
    const paid = new Map<string, number[]>();
    const shownAt = new Map<string, { at: number; title: string }>();
    for (const [place, user] of users.entries()) {
      house.at(start + place * 3_600_000 * 3);
      for (const [title, theirs] of await show(project, [user])) {
        for (const each of theirs) shownAt.set(each, { at: house.now(), title });
      }
    }
    house.at(start + 6 * DAY_MS);
    for (const [place, user] of users.entries()) {
      const { at = 0 } = shownAt.get(user) ?? {};
      // Before, at the exposure, at the end of the window and right after it, and late, in changing company.
      const instants = [at - 5, at, at + 2 * DAY_MS, at + 2 * DAY_MS + 1, at + 1_000_000].filter(
        (instant, bit) => ((place * 7) >> bit) % 2 === 1 && instant <= house.now(),
      );
      paid.set(user, instants);
      for (const instant of instants) await pay(project, [user], instant);
    }
    const { statistics } = await project.api.getCampaignConversions({
      path: { id },
      query: { event: "paid" },
    });
    const seen = { converted: 0, pending: 0 };
    for (const [place, { variantId, matured, pending }] of statistics.variants.entries()) {
      assert.equal(variantId, variants[place]?.id);
      const expected = { matured: { ...noUsers }, pending: { ...noUsers } };
      for (const [user, { at, title }] of shownAt) {
        if (title !== (place === 0 ? "A" : "B")) continue;
        const side = at <= house.now() - 2 * DAY_MS ? expected.matured : expected.pending;
        side.exposedUsers++;
        const isConverted = (paid.get(user) ?? []).some((ts) => ts >= at && ts <= at + 2 * DAY_MS);
        if (isConverted) side.convertedUsers++;
      }
      assert.deepEqual({ matured, pending }, expected);
      seen.converted += expected.matured.convertedUsers;
      seen.pending += expected.pending.exposedUsers;
    }
    // Which variant they are of is drawn anew in each run.
    assert.ok(seen.converted > 0 && seen.pending > 0);
  });

  it("stay as they are when users are erased", async () => {
    const project = await house.project();
    const goal = await goalOf(project, { attributionDays: 2, holdoutPercent: 50 });
    const first = await launchCampaign(project, { goalId: goal.id, variants: TWO });
    const second = await launchCampaign(project, { goalId: goal.id });
    const users = people(16);
    const start = house.now();
    await show(project, users.slice(0, 8));
    house.advance(3 * DAY_MS);
    await show(project, users.slice(8));
    house.advance(4 * DAY_MS);
    for (const [place, user] of users.entries()) {
      const base = start + (place < 8 ? 0 : 3 * DAY_MS);
      const offsets = [0, 1, DAY_MS, 2 * DAY_MS, 2 * DAY_MS + 1, 4 * DAY_MS];
      for (const [bit, offset] of offsets.entries()) {
        if (((place + 1) >> bit) % 2 === 1) await pay(project, [user], base + offset);
      }
    }
    const read = async () => {
      const found: unknown[] = [await project.api.getGoalConversions({ path: { id: goal.id } })];
      for (const { id } of [first, second]) found.push(await statisticsOf(project, id, "day"));
      return found;
    };
    const before = await read();
    for (const id of users) await project.api.eraseUser({ path: { id } });
    assert.deepEqual(await read(), before);
    const { rows } = await house.database.pool.query("select from users where project_id = $1", [
      project.projectId,
    ]);
    assert.equal(rows.length, 0);
    // For another window, which was not thought of when the users were erased, what was kept of their events decides as they did.
    await project.api.updateGoal({ path: { id: goal.id }, body: { attributionDays: 1 } });
    const shorter = await project.api.getGoalConversions({ path: { id: goal.id } });
    const sum = ({ served, withheld }: typeof shorter.holdout) =>
      served.matured.convertedUsers + withheld.matured.convertedUsers;
    // Within a day: those whose bit 0, 1 or 2 is set; 16 of 16 but those of place 7 and 15, whose number is a multiple of 8.
    assert.equal(sum(shorter.holdout), 14);
  });

  it("refuse what they cannot count, and tell nothing of another project", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    const series = refusal(
      project.api.getCampaignConversions({
        path: { id },
        query: { event: "paid", series: "hour" as "day" },
      }),
    );
    assert.match((await series).error, /series/);
    const { goal } = await project.api.createGoal({ body: { name: "Free" } });
    const path = { id: goal.id };
    assert.match((await refusal(project.api.getGoalConversions({ path }))).error, /^event: /);
    assert.equal(
      (await project.agent.getGoalConversions({ path, query: { event: "paid" } })).isGoalEvent,
      false,
    );
    const stranger = await house.project();
    assert.equal((await refusal(stranger.api.getGoalConversions({ path }))).status, 404);
    const nonsense = stranger.api.getGoalConversions({ path: { id: "goal_x" } });
    assert.equal((await refusal(nonsense)).status, 404);
  });
});

describe("what a goal's messages did together", () => {
  it("counts each user once, on the side of their first contact", async () => {
    const project = await house.project();
    const goal = await goalOf(project, { attributionDays: 2 });
    const first = await launchCampaign(project, { goalId: goal.id });
    const [before, after] = [people(10), people(30, 10)];
    await show(project, before);
    await project.api.updateGoal({ path: { id: goal.id }, body: { holdoutPercent: 50 } });
    house.advance(1);
    const second = await launchCampaign(project, { goalId: goal.id });
    await show(project, [...before, ...after]);
    const uuid = uuidOf("goal", goal.id);
    const isOut = (user: string): boolean =>
      isHeldOut({ goalId: uuid, holdoutPercent: 50 }, userRef(project.projectId, user).userKey);
    const out = after.filter(isOut);
    const served = after.filter((user) => !isOut(user));
    assert.ok(out.length > 4 && served.length > 4);
    await pay(project, [...out.slice(0, 1), ...served.slice(0, 4), ...before.slice(0, 3)], house.now());
    const read = async () => (await project.api.getGoalConversions({ path: { id: goal.id } })).holdout;
    const pending = await read();
    assert.deepEqual(pending.served.pending, { exposedUsers: served.length, convertedUsers: 4 });
    assert.deepEqual(pending.withheld.pending, { exposedUsers: out.length, convertedUsers: 1 });
    assert.deepEqual(pending.withoutHoldout.pending, { exposedUsers: 10, convertedUsers: 3 });
    assert.deepEqual([pending.percent, pending.eValue, pending.verdict], [50, 1, "undecided"]);
    house.advance(2 * DAY_MS);
    const matured = await read();
    assert.deepEqual(matured.served.matured, pending.served.pending);
    assert.deepEqual(matured.withheld.matured, pending.withheld.pending);
    assert.deepEqual(matured.served.pending, noUsers);
    assert.equal(matured.served.rate.estimate, Number((4 / served.length).toPrecision(9)));
    assert.equal(matured.sampleRatio.mismatch, false);
    const holdoutOf = async (id: string) => (await statisticsOf(project, id)).holdout;
    const ofFirst = await holdoutOf(first.id);
    const ofSecond = await holdoutOf(second.id);
    const users = (side: "served" | "withheld") =>
      (ofFirst?.[side].matured.exposedUsers ?? 0) + (ofSecond?.[side].matured.exposedUsers ?? 0);
    assert.deepEqual([users("served"), users("withheld")], [served.length, out.length]);
    assert.equal(
      ofFirst?.withoutHoldout.matured.exposedUsers,
      10,
      "their first contact was the first campaign",
    );
    assert.deepEqual(ofSecond?.withoutHoldout.matured, noUsers);
  });

  it("sees what the messages did, with hundreds of users", async () => {
    const project = await house.project();
    const goal = await goalOf(project, { attributionDays: 1, holdoutPercent: 50 });
    const { id } = await launchCampaign(project, { goalId: goal.id });
    const users = people(80);
    const shown = new Set([...(await show(project, users)).values()].flat());
    await pay(project, [...shown], house.now());
    house.advance(2 * DAY_MS);
    const { holdout, isGoalEvent, event } = await project.agent.getGoalConversions({ path: { id: goal.id } });
    assert.deepEqual([event, isGoalEvent], ["paid", true]);
    assert.equal(holdout.served.matured.convertedUsers, shown.size);
    assert.equal(holdout.withheld.matured.exposedUsers, users.length - shown.size);
    assert.deepEqual([holdout.verdict, holdout.relative.estimate], ["better", null]);
    assert.ok(holdout.eValue > 20 && (holdout.absolute.lower ?? -1) >= 0);
    assert.deepEqual((await statisticsOf(project, id)).holdout, holdout);
  });
});
