import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusal, testHouse } from "../../../../../test/harness.ts";
import { journeyTests, mail, wait } from "../../../../../test/journeys.ts";

const house = testHouse();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const { launched, mailOf, mailing, pass } = await journeyTests(house);

/** Users of a plan. */
const onPlan = (plan: string) => ({
  kind: "expression" as const,
  expression: {
    version: 1 as const,
    root: {
      kind: "field" as const,
      field: { kind: "trait" as const, key: "plan" },
      op: "eq" as const,
      value: plan,
    },
  },
});
const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const now = (): number => house.tidings.app.clock();
/** The hour that clocks of UTC show after some time, such as `09:00`. */
const hourIn = (ms: number): string => new Date(now() + ms).toISOString().slice(11, 16);

describe("a journey that is entered out of its audience", () => {
  it("lets everyone in who is in it, and who comes to be, once", async () => {
    const project = await mailing(["ada", "bo", "cy"]);
    const join = (userId: string, plan: string) =>
      project.api.identify({ body: { userId, traits: { plan } } });
    await join("ada", "pro");
    await join("bo", "free");
    const { id } = await launched(project, { entry: { on: "audience" }, audience: onPlan("pro") });
    await pass(MINUTE);
    assert.deepEqual([mailOf(project, "ada"), mailOf(project, "bo")], [["welcome"], []]);
    await join("bo", "pro");
    await pass(3 * MINUTE, MINUTE);
    assert.deepEqual([mailOf(project, "ada"), mailOf(project, "bo")], [["welcome"], ["welcome"]]);
    const { entered, left } = await project.api.getJourneyResults({ path: { id } });
    assert.deepEqual([entered, left.finished], [2, 2]);
    await project.api.setJourneyStatus({ path: { id }, body: { action: "pause" } });
    await join("cy", "pro");
    await pass(5 * MINUTE, MINUTE);
    assert.deepEqual(mailOf(project, "cy"), []);
    await project.api.setJourneyStatus({ path: { id }, body: { action: "launch" } });
    await pass(MINUTE);
    assert.deepEqual(mailOf(project, "cy"), ["welcome"], "who is in it by then enters");
  });

  it("lets users in again after the days that it says, while they are in it", async () => {
    const project = await mailing(["ada"]);
    await project.api.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    await launched(project, {
      entry: { on: "audience" },
      audience: onPlan("pro"),
      again: { afterDays: 2 },
    });
    await pass(MINUTE);
    await pass(DAY, 6 * HOUR);
    assert.deepEqual(mailOf(project, "ada"), ["welcome"]);
    await pass(DAY + HOUR, 6 * HOUR);
    await pass(MINUTE);
    assert.deepEqual(mailOf(project, "ada"), ["welcome", "welcome"]);
  });

  it("lets each of many in once, over several pages, while it is changed in between", async () => {
    const project = await mailing([]);
    const ids = Array.from({ length: 2_600 }, (_, n) => `user-${n}`);
    for (let from = 0; from < ids.length; from += 100)
      await project.api.identifyBatch({
        body: { users: ids.slice(from, from + 100).map((userId) => ({ userId, traits: { plan: "pro" } })) },
      });
    const { id } = await launched(project, {
      entry: { on: "audience" },
      audience: onPlan("pro"),
      steps: [wait("pause", 30, "days")],
    });
    const draining = house.drain();
    await project.api.updateJourney({
      path: { id },
      body: { audience: onPlan("pro"), steps: [wait("pause", 60, "days")] },
    });
    await draining;
    await pass(5 * MINUTE, MINUTE);
    const { entered, inside } = await project.api.getJourneyResults({ path: { id } });
    assert.deepEqual([entered, inside], [ids.length, ids.length]);
  });

  it("waits with them for days before a date of theirs", async () => {
    const project = await mailing(["ada"]);
    await project.api.identify({
      body: { userId: "ada", traits: { plan: "trial", endsAt: dayAt(now() + 6 * DAY) } },
    });
    await launched(project, {
      entry: { on: "audience" },
      audience: onPlan("trial"),
      steps: [
        { id: "before", kind: "wait", date: { trait: "endsAt", days: -3, at: "10:00", zone: "UTC" } },
        mail("three-days"),
      ],
    });
    await pass(2 * DAY, 6 * HOUR);
    assert.deepEqual(mailOf(project, "ada"), []);
    await pass(2 * DAY, 6 * HOUR);
    assert.deepEqual(mailOf(project, "ada"), ["three-days"]);
  });
});

describe("a journey that is entered at an hour", () => {
  it("lets all of its audience in then, and not before", async () => {
    const project = await mailing(["ada", "bo", "cy"]);
    for (const userId of ["ada", "bo"])
      await project.api.identify({ body: { userId, traits: { plan: "pro" } } });
    const { id } = await launched(project, {
      entry: { on: "schedule", at: hourIn(3 * HOUR), zone: "UTC" },
      audience: onPlan("pro"),
      again: { afterDays: 0 },
    });
    await pass(2 * HOUR, HOUR);
    await project.api.identify({ body: { userId: "cy", traits: { plan: "pro" } } });
    await project.api.identify({ body: { userId: "bo", traits: { plan: "free" } } });
    const { entered } = await project.api.getJourneyResults({ path: { id } });
    assert.equal(entered, 0);
    await pass(2 * HOUR, HOUR);
    const all = () => ["ada", "bo", "cy"].map((userId) => mailOf(project, userId).length);
    assert.deepEqual(all(), [1, 0, 1]);
    await pass(DAY - 4 * HOUR, 5 * HOUR);
    assert.deepEqual(all(), [1, 0, 1], "it is not the hour");
    await pass(5 * HOUR, HOUR);
    assert.deepEqual(all(), [2, 0, 2]);
  });

  it("leaves out what comes during a pause, and makes up for what a server missed", async () => {
    const project = await mailing(["ada"]);
    const { id } = await launched(project, {
      entry: { on: "schedule", at: hourIn(2 * HOUR), zone: "UTC" },
      again: { afterDays: 0 },
    });
    const act = (action: "pause" | "launch") =>
      project.api.setJourneyStatus({ path: { id }, body: { action } });
    await act("pause");
    await pass(4 * HOUR, HOUR);
    await act("launch");
    await pass(HOUR);
    assert.deepEqual(mailOf(project, "ada"), []);
    // No loop has a turn for two days: one of the two occurrences is made up for.
    house.advance(2 * DAY);
    await pass(10 * MINUTE, MINUTE);
    assert.deepEqual(mailOf(project, "ada"), ["welcome"]);
    await pass(DAY, 6 * HOUR);
    assert.deepEqual(mailOf(project, "ada"), ["welcome", "welcome"]);
  });

  it("begins anew with another hour", async () => {
    const project = await mailing(["ada"]);
    const { id } = await launched(project, {
      entry: { on: "schedule", at: hourIn(6 * HOUR), zone: "UTC" },
    });
    await pass(MINUTE);
    const { journey } = await project.api.updateJourney({
      path: { id },
      body: { entry: { on: "schedule", at: hourIn(2 * HOUR), zone: "UTC" } },
    });
    assert.equal(journey.entry.on, "schedule");
    await pass(3 * HOUR, HOUR);
    assert.deepEqual(mailOf(project, "ada"), ["welcome"]);
    await pass(2 * DAY, 12 * HOUR);
    assert.deepEqual(mailOf(project, "ada"), ["welcome"], "nobody enters again");
  });

  it("is refused where it says no days, no zone, or nobody", async () => {
    const project = await mailing([]);
    const hour = { on: "schedule" as const, at: "09:00", zone: "Europe/Berlin" };
    const cases: [unknown, unknown, RegExp][] = [
      [{ ...hour, zone: "user" }, {}, /entry\.zone must be an IANA zone/],
      [{ ...hour, at: "9" }, {}, /entry\.at/],
      [{ ...hour, weekdays: ["mon"], monthDays: [1] }, {}, /entry must have weekdays or monthDays/],
      [{ ...hour, monthDays: [29] }, {}, /entry\.monthDays/],
      [{ ...hour, monthDays: [1, 1] }, {}, /entry\.monthDays must not name a day twice/],
      [{ ...hour, weekdays: [] }, {}, /entry\.weekdays/],
      [{ on: "audience" }, {}, /audience must say who enters/],
      [{ on: "audience" }, { audience: onPlan("pro"), again: { afterDays: 0 } }, /again\.afterDays must be/],
      [{ on: "never" }, {}, /entry/],
    ];
    for (const [entry, more, wanted] of cases) {
      const body = { name: "X", entry, steps: [mail("a")], ...(more as object) };
      const { status, error } = await refusal(project.api.createJourney({ body: body as never }));
      assert.equal(status, 400);
      assert.match(error, wanted);
    }
    assert.deepEqual((await project.api.listJourneys({ query: {} })).journeys, []);
  });

  it("leaves no differences behind", async () => assert.deepEqual(await house.differences(), {}));
});
