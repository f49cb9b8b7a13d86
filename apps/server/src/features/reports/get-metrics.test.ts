import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { DAY_MS } from "../../platform/time/clock.ts";

const house = testHouse();

afterEach(async () => assert.deepEqual(await house.differences(), {}));

const metricsOf = ({ api }: TestProject, range?: "7d" | "30d" | "90d") =>
  api.getMetrics({ query: range === undefined ? {} : { range } });

const NOTHING = { impressions: 0, clicks: 0, conversions: 0, events: 0 };
const midnight = Date.UTC(2026, 2, 1);

describe("getMetrics", () => {
  it("has a day for every day, without gaps, the last of which is today", async () => {
    const project = await house.project();
    for (const now of [midnight, midnight - 1, midnight + DAY_MS - 1]) {
      house.at(now);
      for (const [range, count] of [
        ["7d", 7],
        ["30d", 30],
        ["90d", 90],
      ] as const) {
        const { days, totals, topEvents, hasAnyActivity, ...rest } = await metricsOf(project, range);
        assert.deepEqual(rest, { evaluatedAt: now, timezone: "UTC" });
        const today = Math.floor(now / DAY_MS);
        assert.deepEqual(
          days,
          Array.from({ length: count }, (_, i) => ({
            ...NOTHING,
            startAt: (today - count + 1 + i) * DAY_MS,
          })),
        );
        assert.deepEqual([totals, topEvents, hasAnyActivity], [NOTHING, [], false]);
      }
    }
    assert.deepEqual(await metricsOf(project), await metricsOf(project, "30d"));
    assert.equal((await refusal(metricsOf(project, "1d" as "7d"))).status, 400);
  });

  it("counts each step of a delivery on its own day, either way it converts", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent: "paid" } });
    await launchCampaign(project, { goalId: goal.id });
    house.at(midnight - 1);
    const ids = await Promise.all(
      ["anna", "ben", "carl"].map(async (userId) => (await messagesOf(project, userId))[0]?.deliveryId ?? ""),
    );
    const [anna = "", ben = "", carl = ""] = ids;
    await feedback(project, anna, "anna", "shown");
    await feedback(project, ben, "ben", "shown");
    house.at(midnight);
    await feedback(project, carl, "carl", "shown");
    await feedback(project, carl, "carl", "shown");
    await feedback(project, anna, "anna", "clicked");
    house.at(midnight + DAY_MS);
    await project.sdk.track({ body: { userId: "anna", event: "paid" } });
    await project.sdk.track({ body: { userId: "anna", event: "paid" } });
    await feedback(project, ben, "ben", "converted");
    await feedback(project, carl, "carl", "dismissed");
    const { days, totals } = await metricsOf(project, "7d");
    assert.deepEqual(
      days.slice(-3).map(({ startAt: _, ...counted }) => counted),
      [
        { ...NOTHING, impressions: 2 },
        { ...NOTHING, impressions: 1, clicks: 1 },
        { ...NOTHING, conversions: 2, events: 2 },
      ],
    );
    assert.deepEqual(totals, { impressions: 3, clicks: 1, conversions: 2, events: 2 });
    house.at(midnight + 7 * DAY_MS);
    assert.deepEqual((await metricsOf(project, "7d")).totals, {
      ...NOTHING,
      conversions: 2,
      events: 2,
      impressions: 0,
    });
    const stranger = await metricsOf(await house.project(), "7d");
    assert.deepEqual([stranger.totals, stranger.hasAnyActivity], [NOTHING, false]);
  });

  it("counts an event on the day of its time", async () => {
    house.at(midnight + 5);
    const project = await house.project();
    const instants = [
      midnight,
      midnight - 1,
      midnight - 6 * DAY_MS,
      midnight - 6 * DAY_MS - 1,
      midnight - 29 * DAY_MS,
    ];
    const events = instants.map((ts) => ({ userId: "anna", event: "paid", ts }));
    await project.api.trackBatch({ body: { events } });
    const { days, totals } = await metricsOf(project, "7d");
    assert.deepEqual(
      days.map((day) => day.events),
      [1, 0, 0, 0, 0, 1, 1],
    );
    assert.equal(totals.events, 3);
    assert.equal((await metricsOf(project, "30d")).totals.events, 5);
  });

  it("names the eight most frequent events, of equals by name", async () => {
    const project = await house.project();
    const names = ["b", "a", "Z", "é", "🎉", "c", "d", "e", "f", "often"];
    const events = [...names, "often", "c"].map((event) => ({ userId: "anna", event }));
    await project.api.trackBatch({ body: { events } });
    const { topEvents } = await metricsOf(project, "7d");
    assert.deepEqual(
      topEvents,
      [
        { name: "often", count: 2 },
        { name: "c", count: 2 },
      ]
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .concat(["Z", "a", "b", "d", "e", "f"].map((name) => ({ name, count: 1 }))),
    );
    house.advance(7 * DAY_MS);
    assert.deepEqual((await metricsOf(project, "7d")).topEvents, []);
    assert.equal((await metricsOf(project)).topEvents.length, 8);
  });

  it("says whether there was any activity", async () => {
    const has = async (project: TestProject) => (await metricsOf(project, "7d")).hasAnyActivity;
    const [nothing, event, delivery] = [await house.project(), await house.project(), await house.project()];
    await nothing.sdk.identify({ body: { userId: "anna" } });
    await launchCampaign(nothing);
    await event.sdk.track({ body: { userId: "anna", event: "paid" } });
    await launchCampaign(delivery);
    await messagesOf(delivery, "anna");
    assert.deepEqual([await has(nothing), await has(event), await has(delivery)], [false, true, true]);
    house.advance(7 * DAY_MS);
    assert.deepEqual([await has(nothing), await has(event), await has(delivery)], [false, false, true]);
    assert.equal((await metricsOf(event, "30d")).hasAnyActivity, true);
  });
});
