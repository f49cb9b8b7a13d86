import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { refusal, testHouse } from "../../../../test/harness.ts";
import { conflict, journeyTests, mail, wait } from "../../../../test/journeys.ts";
import { uuidOf } from "../../../domain/ids.ts";
import { readMovingAcrossProjects } from "./store.ts";
import { moveDue } from "./walking/moving.ts";

const house = testHouse();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const { launched, mailOf, mailing, pass, smtp } = await journeyTests(house);

describe("a journey", () => {
  it("sends its mail one after the other, each after its wait, to who did its event", async () => {
    const project = await mailing(["ada", "bo"]);
    const journey = await launched(project, {
      steps: [mail("welcome"), wait("pause", 3, "days"), mail("reminder")],
    });
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    await project.api.track({ body: { userId: "bo", event: "something_else" } });
    await house.drain();
    await pass(MINUTE);
    assert.deepEqual([mailOf(project, "ada"), mailOf(project, "bo")], [["welcome"], []]);
    await pass(2 * DAY, DAY);
    assert.deepEqual(mailOf(project, "ada"), ["welcome"]);
    await pass(DAY + HOUR, DAY / 4);
    assert.deepEqual(mailOf(project, "ada"), ["welcome", "reminder"]);
    const results = await project.api.getJourneyResults({ path: { id: journey.id } });
    assert.deepEqual([results.entered, results.inside, results.left.finished], [1, 0, 1]);
    assert.deepEqual(
      results.steps.map(({ stepId, here, sent, waited }) => [stepId, here, sent, waited]),
      [
        ["welcome", 0, 1, 0],
        ["pause", 0, 0, 1],
        ["reminder", 0, 1, 0],
      ],
    );
    const { entries } = await project.api.listJourneyEntries({ path: { id: journey.id } });
    assert.deepEqual(
      entries.map(({ externalUserId, leftBy, stepId }) => [externalUserId, leftBy, stepId]),
      [["ada", "finished", "reminder"]],
    );
  });

  it("goes on as soon as a mail has left, or cannot", async () => {
    const project = await mailing(["ada", "bo"]);
    const { id } = await launched(project, {
      entry: { on: "request" },
      steps: [mail("first"), mail("second"), mail("third")],
    });
    smtp.behave({
      onRecipient: (to) => (to.startsWith("bo@") ? { code: 550, text: "5.1.1 No such user" } : null),
    });
    await project.api.addJourneyEntries({ path: { id }, body: { userIds: ["ada", "bo"] } });
    // No time passes: what is only found by a later look does not come.
    for (let turn = 0; turn < 6; turn++) await house.drain();
    smtp.behave({});
    assert.deepEqual(mailOf(project, "ada"), ["first", "second", "third"]);
    const { left } = await project.api.getJourneyResults({ path: { id } });
    assert.equal(left.finished, 2);
  });

  it("ends for who does what ends it", async () => {
    const project = await mailing(["ada", "bo"]);
    const journey = await launched(project, {
      steps: [mail("welcome"), wait("pause", 1, "hours"), mail("reminder")],
      exit: { onGoal: true, events: [{ event: "subscribed" }] },
    });
    for (const userId of ["ada", "bo"]) await project.api.track({ body: { userId, event: "trial_started" } });
    await pass(MINUTE);
    await project.api.track({ body: { userId: "ada", event: "subscribed" } });
    await pass(2 * HOUR);
    assert.deepEqual([mailOf(project, "ada"), mailOf(project, "bo")], [["welcome"], ["welcome", "reminder"]]);
    const { left, inside } = await project.api.getJourneyResults({ path: { id: journey.id } });
    assert.deepEqual([left.event, left.finished, inside], [1, 1, 0]);
  });

  it("goes elsewhere by an audience, skips who has no address, and lets nobody in twice", async () => {
    const project = await mailing(["ada", "bo"]);
    await project.api.identify({ body: { userId: "cy" } });
    await project.api.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    const onPro = {
      kind: "expression" as const,
      expression: {
        version: 1 as const,
        root: {
          kind: "field" as const,
          field: { kind: "trait" as const, key: "plan" },
          op: "eq" as const,
          value: "pro",
        },
      },
    };
    const journey = await launched(project, {
      entry: { on: "request" },
      steps: [
        { id: "plan", kind: "if", audience: onPro, else: "basic" },
        mail("pro"),
        { id: "done", kind: "end" },
        mail("basic"),
      ],
    });
    const add = (userIds: string[]) =>
      project.api.addJourneyEntries({ path: { id: journey.id }, body: { userIds } });
    const { results } = await add(["ada", "bo", "cy", "dora"]);
    assert.deepEqual(
      results.map(({ entered, reason }) => [entered, reason]),
      [
        [true, null],
        [true, null],
        [true, null],
        [false, "no_user"],
      ],
    );
    await pass(MINUTE);
    assert.deepEqual([mailOf(project, "ada"), mailOf(project, "bo")], [["pro"], ["basic"]]);
    assert.deepEqual((await add(["ada"])).results[0]?.reason, "again");
    const { steps, left } = await project.api.getJourneyResults({ path: { id: journey.id } });
    const basic = steps.find(({ stepId }) => stepId === "basic");
    assert.deepEqual([basic?.sent, basic?.skipped, left.finished], [1, 1, 3]);
  });

  it("lets nobody move while it is paused, and goes on where they are", async () => {
    const project = await mailing(["ada", "bo"]);
    const { id } = await launched(project, { steps: [wait("pause", 10, "minutes"), mail("later")] });
    const act = (action: "pause" | "launch" | "end") =>
      project.api.setJourneyStatus({ path: { id }, body: { action } });
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    await pass(MINUTE);
    await act("pause");
    await project.api.track({ body: { userId: "bo", event: "trial_started" } });
    await pass(HOUR);
    assert.deepEqual([mailOf(project, "ada"), mailOf(project, "bo")], [[], []]);
    await act("launch");
    await pass(MINUTE);
    assert.deepEqual([mailOf(project, "ada"), mailOf(project, "bo")], [["later"], []]);
    const { entered } = await project.api.getJourneyResults({ path: { id } });
    assert.equal(entered, 1, "what happens during a pause lets nobody in");
  });

  it("has everybody leave where it ends, and withdraws what waits", async () => {
    const project = await mailing(["ada"]);
    const { id, steps } = await launched(project, {
      steps: [mail("welcome"), wait("pause", 1, "days"), mail("later")],
    });
    smtp.behave({ onRecipient: () => ({ code: 451, text: "4.7.1 Try again later" }) });
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    await pass(MINUTE);
    const [welcome] = steps;
    assert.ok(welcome?.kind === "send");
    await project.api.removeJourneyEntry({ path: { id }, body: { userId: "ada" } });
    smtp.behave({});
    await pass(2 * HOUR, 10 * MINUTE);
    assert.deepEqual(mailOf(project, "ada"), []);
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id: welcome.campaignId } });
    assert.deepEqual(
      deliveries.map(({ state }) => state),
      ["withdrawn"],
    );
    await project.api.setJourneyStatus({ path: { id }, body: { action: "end" } });
    await pass(MINUTE);
    const { left, inside } = await project.api.getJourneyResults({ path: { id } });
    assert.deepEqual([left.removed, inside], [1, 0]);
  });

  it("may change while users are inside, but for the steps where they are", async () => {
    const project = await mailing(["ada"]);
    const { id } = await launched(project, { steps: [wait("pause", 2, "hours"), mail("later")] });
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    await pass(MINUTE);
    const lost = await conflict(
      project.api.updateJourney({ path: { id }, body: { steps: [{ id: "other", kind: "end" }] } }),
    );
    assert.deepEqual([lost.reason, lost.steps], ["people_inside", [{ id: "pause", here: 1 }]]);
    const stale = await conflict(
      project.api.updateJourney({ path: { id }, body: { name: "X", expectedVersion: 7 } }),
    );
    assert.deepEqual([stale.reason, stale.version], ["stale_version", 1]);
    const { journey } = await project.api.updateJourney({
      path: { id },
      body: {
        steps: [wait("pause", 1, "hours"), { id: "later", kind: "send", channel: "email" }, mail("more")],
        expectedVersion: 1,
      },
    });
    assert.deepEqual([journey.version, journey.steps.length], [2, 3]);
    await pass(HOUR + 5 * MINUTE, 10 * MINUTE);
    assert.deepEqual(mailOf(project, "ada"), ["later", "more"]);
  });

  it("counts as one campaign of its goal, and says which step a limit refuses", async () => {
    const project = await mailing([]);
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", guardrails: { maxActiveCampaigns: 1 } },
    });
    await launched(project, { goalId: goal.id, steps: [mail("a"), mail("b"), mail("c")] });
    const { journey } = await project.api.createJourney({
      body: { name: "Second", goalId: goal.id, entry: { on: "request" }, steps: [mail("a")] },
    });
    const launching = project.api.setJourneyStatus({ path: { id: journey.id }, body: { action: "launch" } });
    const { reason, ...fields } = await conflict(launching);
    assert.deepEqual([reason, Object(fields).stepId], ["guardrail_violated", "a"]);
    const { journey: draft } = await project.api.getJourney({ path: { id: journey.id } });
    assert.deepEqual([draft.status, draft.startedAt], ["draft", null], "all steps, or none");
  });

  it("manages the messages of its steps, which may be paused by themselves", async () => {
    const project = await mailing(["ada", "bo"]);
    const { id, steps } = await launched(project, { entry: { on: "request" } });
    const [welcome] = steps;
    assert.ok(welcome?.kind === "send");
    const path = { id: welcome.campaignId };
    const add = (userId: string) =>
      project.api.addJourneyEntries({ path: { id }, body: { userIds: [userId] } });
    const act = (action: "launch" | "pause" | "end") =>
      project.api.setCampaignStatus({ path, body: { action } });
    assert.equal((await conflict(act("end"))).reason, "managed_by_journey");
    for (const change of [{ audience: { kind: "all" as const } }, { once: true }, { goalId: null }]) {
      const { status, error } = await refusal(project.api.updateCampaign({ path, body: change }));
      assert.deepEqual([status, error.includes(Object.keys(change).join())], [400, true]);
    }
    assert.equal((await conflict(project.api.takeCampaignCensus({ path }))).reason, "journey_step");
    const explaining = project.api.explainCampaign({ path, body: { userId: "ada" } });
    assert.equal((await conflict(explaining)).reason, "journey_step");
    await act("pause");
    await add("ada");
    await pass(MINUTE);
    assert.deepEqual(mailOf(project, "ada"), []);
    await act("launch");
    await pass(MINUTE);
    assert.deepEqual(mailOf(project, "ada"), ["welcome"]);
    await act("pause");
    await project.api.setJourneyStatus({ path: { id }, body: { action: "pause" } });
    assert.equal((await conflict(act("launch"))).reason, "managed_by_journey");
    await project.api.setJourneyStatus({ path: { id }, body: { action: "launch" } });
    await add("bo");
    await pass(MINUTE);
    assert.deepEqual(mailOf(project, "bo"), ["welcome"]);
  });

  it("sends nothing after what ends it, however full the queue is", async () => {
    const project = await mailing(["ada", "bo"]);
    await launched(project, { exit: { onGoal: true, events: [{ event: "bought" }] } });
    smtp.behave({ onRecipient: () => ({ code: 451, text: "4.7.1 Try again later" }) });
    for (const userId of ["ada", "bo"]) await project.api.track({ body: { userId, event: "trial_started" } });
    await pass(MINUTE);
    smtp.behave({});
    await project.api.track({ body: { userId: "ada", event: "bought" } });
    await pass(2 * HOUR, 10 * MINUTE);
    assert.deepEqual([mailOf(project, "ada"), mailOf(project, "bo")], [[], ["welcome"]]);
  });

  it("ends with the event of its goal, also once the goal has another one", async () => {
    const project = await mailing(["ada", "bo"]);
    const { goal } = await project.api.createGoal({ body: { name: "Sales", targetEvent: "bought" } });
    const { id } = await launched(project, {
      goalId: goal.id,
      steps: [wait("pause", 1, "hours"), mail("later")],
    });
    for (const userId of ["ada", "bo"]) await project.api.track({ body: { userId, event: "trial_started" } });
    await pass(MINUTE);
    await project.api.updateGoal({
      path: { id: goal.id },
      body: { targetEvent: "paid", expectedRevision: goal.revision },
    });
    await project.api.track({ body: { userId: "ada", event: "bought" } });
    await project.api.track({ body: { userId: "bo", event: "paid" } });
    await pass(2 * HOUR);
    assert.deepEqual([mailOf(project, "ada"), mailOf(project, "bo")], [["later"], []]);
    const { left } = await project.api.getJourneyResults({ path: { id } });
    assert.deepEqual([left.goal, left.finished], [1, 1]);
  });

  it("takes the id of a step that was taken away for another one", async () => {
    const project = await mailing(["ada"]);
    const { id, steps } = await launched(project, {
      entry: { on: "request" },
      steps: [mail("a"), mail("b")],
    });
    await project.api.updateJourney({
      path: { id },
      body: { steps: [{ id: "a", kind: "send", channel: "email" }] },
    });
    const { journey } = await project.api.updateJourney({
      path: { id },
      body: { steps: [{ id: "a", kind: "send", channel: "email" }, mail("b")] },
    });
    const campaignOf = (of_: typeof steps, at: number): unknown => Object(of_[at]).campaignId;
    assert.equal(campaignOf(journey.steps, 0), campaignOf(steps, 0));
    assert.notEqual(campaignOf(journey.steps, 1), campaignOf(steps, 1));
    await project.api.addJourneyEntries({ path: { id }, body: { userIds: ["ada", "ada"] } });
    await pass(MINUTE);
    assert.deepEqual(mailOf(project, "ada"), ["a", "b"]);
  });

  it("lets users in again after the days that it says", async () => {
    const project = await mailing(["ada"]);
    const { id } = await launched(project, { again: { afterDays: 2 } });
    const start = () => project.api.track({ body: { userId: "ada", event: "trial_started" } });
    for (const days of [0, 1, 1.5]) {
      house.advance(days * DAY);
      await start();
      await pass(MINUTE);
    }
    assert.deepEqual(mailOf(project, "ada"), ["welcome", "welcome"]);
    const { entries } = await project.api.listJourneyEntries({ path: { id } });
    assert.deepEqual(
      entries.map(({ occasion }) => occasion),
      [1, 0],
    );
  });

  it("moves each user once, also where two processes move them at once", async () => {
    const ids = Array.from({ length: 40 }, (_, n) => `user-${n}`);
    const project = await mailing(ids);
    const journey = await launched(project, {
      entry: { on: "request" },
      steps: [mail("welcome"), wait("pause", 1, "minutes"), mail("later")],
    });
    await project.api.addJourneyEntries({ path: { id: journey.id }, body: { userIds: ids } });
    const { app } = house.tidings;
    for (let turn = 0; turn < 12; turn++) {
      const [moving] = await readMovingAcrossProjects(app.database.kysely, [uuidOf("jrn", journey.id) ?? ""]);
      assert.ok(moving);
      await Promise.all([1, 2, 3, 4].map(() => moveDue(app, moving)));
      await pass(20_000, 10_000);
    }
    for (const id of ids) assert.deepEqual(mailOf(project, id), ["welcome", "later"], id);
    const { left, steps } = await project.api.getJourneyResults({ path: { id: journey.id } });
    assert.deepEqual(
      [left.finished, ...steps.map(({ sent, waited }) => sent + waited)],
      [ids.length, ids.length, ids.length, ids.length],
    );
  });

  it("moves by what a journey is now, also where it was changed after it was read", async () => {
    const project = await mailing(["ada"]);
    const { id } = await launched(project, {
      entry: { on: "request" },
      steps: [wait("pause", 1, "hours"), mail("former"), mail("last")],
    });
    await project.api.addJourneyEntries({ path: { id }, body: { userIds: ["ada"] } });
    await pass(MINUTE);
    const { app } = house.tidings;
    const uuid = uuidOf("jrn", id) ?? "";
    const [read] = await readMovingAcrossProjects(app.database.kysely, [uuid]);
    assert.ok(read);
    await project.api.updateJourney({
      path: { id },
      body: { steps: [wait("pause", 1, "hours"), { id: "last", kind: "send", channel: "email" }] },
    });
    house.advance(2 * HOUR);
    await moveDue(app, read);
    const { entries } = await project.api.listJourneyEntries({ path: { id } });
    assert.deepEqual(
      entries.map(({ stepId }) => stepId),
      ["pause"],
    );
    await pass(MINUTE);
    assert.deepEqual(mailOf(project, "ada"), ["last"]);
  });

  it("ends with an event that follows the one that let users in, before anything was looked at", async () => {
    const project = await mailing(["ada"]);
    const { id } = await launched(project, { exit: { onGoal: true, events: [{ event: "bought" }] } });
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    house.advance(500);
    await project.api.track({ body: { userId: "ada", event: "bought" } });
    house.advance(500);
    await pass(MINUTE);
    assert.deepEqual(mailOf(project, "ada"), []);
    const { left, entered } = await project.api.getJourneyResults({ path: { id } });
    assert.deepEqual([entered, left.event], [1, 1]);
  });

  it("refuses what another project has, and keeps nothing of it", async () => {
    const [own, other] = [await mailing([]), await mailing([])];
    const { goal } = await other.api.createGoal({ body: { name: "Theirs" } });
    const { segment } = await other.api.createSegment({
      body: {
        key: "theirs",
        name: "Theirs",
        expression: {
          version: 1,
          root: { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" },
        },
      },
    });
    const body = { name: "X", entry: { on: "request" as const }, steps: [mail("a")] };
    for (const foreign of [
      { goalId: goal.id },
      { audience: { kind: "segment" as const, segment: segment.key } },
      { steps: [{ ...mail("a"), topicId: "top_019b0000-0000-7000-8000-000000000000" }] },
    ]) {
      const { status } = await refusal(own.api.createJourney({ body: { ...body, ...foreign } }));
      assert.ok(status === 400 || status === 404, String(status));
    }
    assert.deepEqual((await own.api.listJourneys({ query: {} })).journeys, []);
    assert.equal((await own.api.listCampaigns({ query: {} })).total, 0);
    const theirs = await launched(other, { entry: { on: "request" } });
    const { status } = await refusal(own.api.getJourney({ path: { id: theirs.id } }));
    assert.equal(status, 404);
    const { campaigns } = await own.api.listCampaigns({ query: { journeyId: theirs.id } });
    assert.deepEqual(campaigns, []);
  });

  it("keeps the figures of a user who is erased", async () => {
    const project = await mailing(["ada"]);
    const { id } = await launched(project, { steps: [mail("welcome"), wait("pause", 1, "days")] });
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    await pass(MINUTE);
    await project.api.eraseUser({ path: { id: "ada" } });
    const { entered, inside, steps } = await project.api.getJourneyResults({ path: { id } });
    assert.deepEqual([entered, inside, steps[0]?.sent], [1, 0, 1]);
    const { entries } = await project.api.listJourneyEntries({ path: { id } });
    assert.deepEqual(
      entries.map(({ externalUserId, leftBy }) => [externalUserId, leftBy]),
      [["", "erased"]],
    );
  });

  it("is found by a part of its name, and that of another project never", async () => {
    const [project, other] = [await mailing([]), await mailing([])];
    const names = ["Trial, 100% free", "trial_b", "Winback"];
    for (const name of names) await launched(project, { name });
    await launched(other, { name: "Trial of another" });
    const found = async (query: { q: string; status?: "running" | "draft" }) => {
      const { journeys, total } = await project.api.listJourneys({ query });
      assert.equal(total, journeys.length);
      return journeys.map(({ name }) => name).toSorted();
    };
    assert.deepEqual(await found({ q: "TRIAL" }), names.slice(0, 2));
    assert.deepEqual(await found({ q: "%" }), ["Trial, 100% free"]);
    assert.deepEqual(await found({ q: "_" }), ["trial_b"]);
    assert.equal((await found({ q: "" })).length, 3);
    assert.deepEqual(await found({ q: "trial", status: "draft" }), []);
  });

  it("is refused where its steps lead backwards, or its messages are not there", async () => {
    const project = await mailing([]);
    const everyone = { kind: "all" as const };
    const cases: [Input<"createJourney">["body"]["steps"], RegExp][] = [
      [[mail("a"), mail("a")], /steps\[1\]\.id is the id of another step/],
      [
        [mail("a"), { id: "b", kind: "if", audience: everyone, else: "a" }],
        /steps\[1\]\.else must be a later step/,
      ],
      [[{ id: "b", kind: "if", audience: everyone, else: "c" }], /steps\[0\]\.else must be the id of a step/],
      [[{ id: "end", kind: "end" }], /steps\[0\]\.id must not be end/],
      [[{ id: "a", kind: "send", channel: "email" }], /^steps\[0\]: .*message/],
    ];
    for (const [steps, wanted] of cases) {
      const { status, error } = await refusal(
        project.api.createJourney({ body: { name: "X", entry: { on: "request" }, steps } }),
      );
      assert.equal(status, 400);
      assert.match(error, wanted);
    }
    assert.deepEqual((await project.api.listJourneys({ query: {} })).journeys, [], "nothing is half-written");
    assert.equal((await project.api.listCampaigns({ query: {} })).total, 0);
  });

  it("leaves no differences behind", async () => assert.deepEqual(await house.differences(), {}));
});
