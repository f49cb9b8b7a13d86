import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusal, testHouse } from "../../../../../test/harness.ts";
import { conflict, journeyTests, mail, wait } from "../../../../../test/journeys.ts";

const house = testHouse();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const { launched, mailOf, mailing, pass, smtp } = await journeyTests(house);
const send = (id: string) => ({ id, kind: "send", channel: "email" }) as const;
const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
/** How long until clocks of UTC show an hour. */
const untilHour = (hour: number): number =>
  (hour * HOUR - (house.tidings.app.clock() % DAY) + 2 * DAY) % DAY || DAY;

describe("a wait of a journey", () => {
  it("lasts until an hour of each user's own clocks", async () => {
    const project = await mailing(["ada", "bo"]);
    await project.api.identify({ body: { userId: "bo", traits: { $timezone: "Asia/Tokyo" } } });
    // Nine in UTC is eighteen in Tokyo, whose nine is at midnight in UTC.
    await pass(untilHour(12), DAY);
    const { id } = await launched(project, {
      steps: [{ id: "morning", kind: "wait", until: { at: "09:00", zone: "user" } }, mail("later")],
    });
    for (const userId of ["ada", "bo"]) await project.api.track({ body: { userId, event: "trial_started" } });
    await pass(11 * HOUR, HOUR);
    assert.deepEqual([mailOf(project, "ada"), mailOf(project, "bo")], [[], []]);
    await pass(2 * HOUR, HOUR / 2);
    assert.deepEqual([mailOf(project, "ada"), mailOf(project, "bo")], [[], ["later"]]);
    await pass(7 * HOUR, HOUR);
    assert.deepEqual(mailOf(project, "ada"), [], "it is eight");
    await pass(2 * HOUR, HOUR / 2);
    assert.deepEqual(mailOf(project, "ada"), ["later"]);
    const { steps } = await project.api.getJourneyResults({ path: { id } });
    assert.deepEqual([steps[0]?.waited, steps[1]?.sent], [2, 2]);
  });

  it("lasts until days before a date of the user's, also where that changes or comes later", async () => {
    const project = await mailing(["ada", "bo", "cy"]);
    await pass(untilHour(12), DAY);
    const now = house.tidings.app.clock();
    const ends = (userId: string, days: number) =>
      project.api.identify({ body: { userId, traits: { endsAt: dayAt(now + days * DAY) } } });
    await ends("ada", 5);
    await ends("bo", 30);
    const { id } = await launched(project, {
      steps: [
        { id: "before", kind: "wait", date: { trait: "endsAt", days: -3, at: "10:00", zone: "user" } },
        mail("soon"),
      ],
    });
    for (const userId of ["ada", "bo", "cy"])
      await project.api.track({ body: { userId, event: "trial_started" } });
    await pass(MINUTE);
    await pass(DAY, 6 * HOUR);
    const users = ["ada", "bo", "cy"];
    assert.deepEqual(
      users.map((userId) => mailOf(project, userId)),
      [[], [], []],
    );
    // It is noon of the next day. Two days before five days from the beginning is the day after.
    await ends("bo", 5);
    await pass(DAY, HOUR);
    assert.deepEqual(
      users.map((userId) => mailOf(project, userId)),
      [["soon"], ["soon"], []],
    );
    await ends("cy", 4);
    await pass(2 * HOUR, HOUR);
    assert.deepEqual(mailOf(project, "cy"), ["soon"], "the hour has passed: it is sent at once");
    const { inside, left } = await project.api.getJourneyResults({ path: { id } });
    assert.deepEqual([inside, left.finished], [0, 3]);
  });

  it("ends without a message for who has no date within a year", async () => {
    const project = await mailing(["ada"]);
    const { id } = await launched(project, {
      steps: [
        { id: "before", kind: "wait", date: { trait: "endsAt", days: 0, at: "10:00", zone: "UTC" } },
        mail("soon"),
      ],
    });
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    await pass(MINUTE);
    await pass(364 * DAY, 182 * DAY);
    const { inside } = await project.api.getJourneyResults({ path: { id } });
    assert.equal(inside, 1);
    await pass(2 * DAY, DAY);
    const { steps, left } = await project.api.getJourneyResults({ path: { id } });
    assert.deepEqual([steps[0]?.skipped, left.finished, mailOf(project, "ada")], [1, 1, []]);
  });

  it("ends sooner by the event that it is for, also during a pause", async () => {
    const project = await mailing(["ada", "bo", "cy"]);
    const { id } = await launched(project, {
      steps: [
        {
          ...wait("paid", 30, "days"),
          orEvent: {
            event: "paid",
            where: [
              { kind: "field", field: { kind: "event_property", key: "amount" }, op: "gte", value: 10 },
            ],
          },
        },
        mail("thanks"),
      ],
    });
    for (const userId of ["ada", "bo", "cy"])
      await project.api.track({ body: { userId, event: "trial_started" } });
    await pass(MINUTE);
    await project.api.track({ body: { userId: "ada", event: "paid", props: { amount: 10 } } });
    await project.api.track({ body: { userId: "bo", event: "paid", props: { amount: 9 } } });
    await pass(MINUTE);
    assert.deepEqual([mailOf(project, "ada"), mailOf(project, "bo")], [["thanks"], []]);
    const act = (action: "pause" | "launch") =>
      project.api.setJourneyStatus({ path: { id }, body: { action } });
    await act("pause");
    await project.api.track({ body: { userId: "cy", event: "paid", props: { amount: 11 } } });
    await pass(HOUR);
    assert.deepEqual(mailOf(project, "cy"), []);
    await act("launch");
    await pass(MINUTE);
    assert.deepEqual([mailOf(project, "cy"), mailOf(project, "bo")], [["thanks"], []]);
    const { steps } = await project.api.getJourneyResults({ path: { id } });
    assert.deepEqual([steps[0]?.here, steps[0]?.happened, steps[0]?.waited], [1, 2, 0]);
  });

  it("is looked at anew where it became another one", async () => {
    const project = await mailing(["ada"]);
    const { id } = await launched(project, { steps: [wait("pause", 30, "days"), mail("later")] });
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    await pass(MINUTE);
    const hour = new Date(house.tidings.app.clock() + 2 * HOUR).toISOString().slice(11, 16);
    await project.api.updateJourney({
      path: { id },
      body: { steps: [{ id: "pause", kind: "wait", until: { at: hour, zone: "UTC" } }, send("later")] },
    });
    await pass(HOUR);
    assert.deepEqual(mailOf(project, "ada"), []);
    await pass(HOUR + MINUTE);
    await pass(MINUTE);
    assert.deepEqual(mailOf(project, "ada"), ["later"]);
  });

  it("is refused where it says nothing that can be waited for", async () => {
    const project = await mailing([]);
    const hour = { at: "09:00", zone: "user" };
    const span = { amount: 1, unit: "days" as const };
    const date = { trait: "endsAt", days: -3, ...hour };
    for (const [fields, wanted] of [
      [{}, /steps\[0\] must have one of for, until, date/],
      [{ for: span, until: hour }, /steps\[0\] must have one of/],
      [{ until: hour, date }, /steps\[0\] must have one of/],
      [{ until: { ...hour, at: "24:00" } }, /steps\[0\]\.until\.at/],
      [{ until: { ...hour, zone: "Mars/Base" } }, /steps\[0\]\.until\.zone/],
      [{ until: { ...hour, weekdays: [] } }, /steps\[0\]\.until\.weekdays/],
      [{ date: { ...date, days: 366 } }, /steps\[0\]\.date\.days/],
      [{ date: { ...date, trait: "" } }, /steps\[0\]\.date\.trait/],
      [{ date: hour }, /steps\[0\]\.date/],
      [{ for: span, orEvent: { event: "" } }, /steps\[0\]\.orEvent\.event/],
      [{ for: span, orEvent: { event: "a", where: [{ nonsense: 1 }] } }, /steps\[0\]: orEvent: /],
    ] as const) {
      const body = {
        name: "X",
        entry: { on: "request" as const },
        steps: [{ id: "a", kind: "wait" as const, ...fields }],
      };
      const { status, error } = await refusal(
        project.api.createJourney({ body: body as Parameters<typeof project.api.createJourney>[0]["body"] }),
      );
      assert.equal(status, 400);
      assert.match(error, wanted);
    }
  });

  it("leaves no differences behind", async () => assert.deepEqual(await house.differences(), {}));
});

describe("a step that is taken away", () => {
  it("has its users go on where the change says, though another one follows at once", async () => {
    const project = await mailing(["ada", "bo", "cy"]);
    const { id } = await launched(project, {
      entry: { on: "request" },
      steps: [wait("a", 30, "days"), mail("b"), wait("c", 30, "days"), mail("d")],
    });
    const change = (body: Parameters<typeof project.api.updateJourney>[0]["body"]) =>
      project.api.updateJourney({ path: { id }, body });
    await project.api.addJourneyEntries({ path: { id }, body: { userIds: ["ada", "bo"] } });
    await pass(MINUTE);
    const refused = await conflict(change({ steps: [wait("c", 30, "days"), send("d")] }));
    assert.deepEqual([refused.reason, refused.steps], ["people_inside", [{ id: "a", here: 2 }]]);
    await change({ steps: [wait("c", 30, "days"), send("d")], moves: { a: "c" } });
    // Nothing has moved yet: they are at a step that is gone, and the one that they would go to goes as well.
    const still = await project.api.getJourneyResults({ path: { id } });
    assert.deepEqual([still.inside, still.steps.map(({ here }) => here)], [2, [0, 0]]);
    assert.deepEqual((await conflict(change({ steps: [send("d")] }))).steps, [{ id: "c", here: 2 }]);
    const again = await conflict(change({ steps: [wait("a", 1, "days"), send("d")], moves: { c: "d" } }));
    assert.deepEqual(again.steps, [{ id: "a", here: 2 }], "its users are on their way");
    await change({ steps: [send("d")], moves: { c: "d" } });
    await pass(MINUTE);
    assert.deepEqual([mailOf(project, "ada"), mailOf(project, "bo")], [["d"], ["d"]]);
    assert.equal((await project.api.getJourneyResults({ path: { id } })).moved, 2);
    await change({ steps: [wait("a", 30, "days"), send("d")] });
    await project.api.addJourneyEntries({ path: { id }, body: { userIds: ["cy"] } });
    await pass(MINUTE);
    await change({ steps: [send("d")], moves: { a: "end" } });
    await pass(MINUTE);
    const { left, inside, entered } = await project.api.getJourneyResults({ path: { id } });
    assert.deepEqual([mailOf(project, "cy"), entered, inside, left.finished], [[], 3, 0, 3]);
  });

  it("takes its message with it, that was not sent yet", async () => {
    const project = await mailing(["ada"]);
    const { id, steps } = await launched(project, { steps: [mail("a"), mail("b")] });
    const [first] = steps;
    assert.ok(first?.kind === "send");
    smtp.behave({ onRecipient: () => ({ code: 451, text: "4.7.1 Try again later" }) });
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    await pass(MINUTE);
    await project.api.updateJourney({ path: { id }, body: { steps: [send("b")], moves: { a: "b" } } });
    smtp.behave({});
    await pass(2 * HOUR, 10 * MINUTE);
    assert.deepEqual(mailOf(project, "ada"), ["b"]);
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id: first.campaignId } });
    assert.deepEqual(
      deliveries.map(({ state }) => state),
      ["withdrawn"],
    );
  });

  it("is refused where moves name what is not there, or a step becomes another kind", async () => {
    const project = await mailing([]);
    const { id } = await launched(project, { steps: [wait("a", 1, "days"), mail("b")] });
    const steps = [send("b")];
    for (const [body, wanted] of [
      [{ steps, moves: { b: "end" } }, /moves\.b is not a step that this change takes away/],
      [{ steps, moves: { x: "b" } }, /moves\.x is not a step/],
      [{ moves: { a: "b" } }, /moves\.a is not a step/],
      [{ steps, moves: { a: "a" } }, /moves\.a must be a step of the new steps, or end: a/],
      [{ steps, moves: { a: "x" } }, /moves\.a must be a step/],
      [{ steps, moves: { "A B": "b" } }, /moves/],
      [{ steps: [wait("a", 1, "days")], moves: { b: "a" } }, /moves\.b must lead forwards: nobody goes back/],
      [{ steps: [mail("a"), send("b")] }, /steps\[0\]\.kind must be wait/],
      [
        { steps: [wait("a", 1, "days"), { ...send("b"), channel: "push" }] },
        /steps\[1\]: channel of this message is email/,
      ],
    ] as const) {
      const { status, error } = await refusal(
        project.api.updateJourney({
          path: { id },
          body: body as Parameters<typeof project.api.updateJourney>[0]["body"],
        }),
      );
      assert.equal(status, 400);
      assert.match(error, wanted);
    }
    const { journey } = await project.api.getJourney({ path: { id } });
    assert.deepEqual([journey.version, journey.steps.length], [1, 2], "nothing is half-written");
  });

  it("leaves no differences behind", async () => assert.deepEqual(await house.differences(), {}));
});
