import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusal, testHouse } from "../../../../../test/harness.ts";
import { journeyTests, mail, wait } from "../../../../../test/journeys.ts";

const house = testHouse();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const { launched, mailing, pass, smtp } = await journeyTests(house);

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

describe("the explanation of a user in a journey", () => {
  it("says where they are, why, until when, and how they came there", async () => {
    const project = await mailing(["ada", "bo"]);
    const { id, steps } = await launched(project, {
      audience: onPro,
      steps: [
        mail("welcome"),
        { ...wait("pause", 2, "days"), orEvent: { event: "paid" } },
        { id: "plan", kind: "if", audience: onPro, else: "end" },
        mail("later"),
      ],
    });
    const explain = (userId: string) => project.api.explainJourney({ path: { id }, body: { userId } });
    const barOf = async (userId: string) => {
      const { mayEnter, barredBy, inside } = await explain(userId);
      return [mayEnter, barredBy, inside];
    };
    assert.deepEqual(await barOf("ada"), [false, "audience", null]);
    assert.deepEqual(await barOf("dora"), [false, "no_user", null]);
    await project.api.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    assert.deepEqual(await barOf("ada"), [true, null, null]);
    smtp.behave({ onRecipient: () => ({ code: 451, text: "4.7.1 Try again later" }) });
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    await pass(MINUTE);
    const sending = await explain("ada");
    assert.deepEqual(
      [sending.barredBy, sending.inside?.stepId, sending.inside?.waitsFor, sending.passed],
      ["inside", "welcome", "message", []],
    );
    smtp.behave({});
    await pass(2 * HOUR, 10 * MINUTE);
    const waiting = await explain("ada");
    const { arrivedAt = 0 } = waiting.inside ?? {};
    assert.deepEqual(waiting.inside, {
      occasion: 0,
      stepId: "pause",
      enteredAt: sending.inside?.enteredAt,
      arrivedAt,
      waitsFor: "time",
      until: arrivedAt + 2 * DAY,
      orEvent: "paid",
    });
    assert.deepEqual(
      waiting.passed.map(({ stepId, did, reason, version }) => [stepId, did, reason, version]),
      [["welcome", "sent", null, 1]],
    );
    assert.deepEqual(waiting.conditions, [{ stepId: "plan", met: true }]);
    const [, , , last] = steps;
    assert.ok(last?.kind === "send");
    await project.api.setCampaignStatus({ path: { id: last.campaignId }, body: { action: "pause" } });
    await project.api.track({ body: { userId: "ada", event: "paid" } });
    await pass(MINUTE);
    const stuck = await explain("ada");
    assert.deepEqual(
      [stuck.inside?.stepId, stuck.inside?.waitsFor, stuck.passed.map(({ did }) => did)],
      ["later", "campaign_paused", ["met", "happened", "sent"]],
    );
    await project.api.setJourneyStatus({ path: { id }, body: { action: "pause" } });
    assert.equal((await explain("ada")).inside?.waitsFor, "paused");
    await project.api.identify({ body: { userId: "bo", traits: { plan: "pro" } } });
    assert.deepEqual(await barOf("bo"), [false, "not_running", null]);
    assert.equal((await explain("ada")).left, null);
    const out = house.now();
    await project.api.removeJourneyEntry({ path: { id }, body: { userId: "ada" } });
    assert.deepEqual((await explain("ada")).left, { occasion: 0, stepId: "later", by: "removed", at: out });
  });

  it("says that the message of a step is paused, also of whom it was withheld from the time before", async () => {
    // Half of all users are held out: of so many, at least one.
    const userIds = Array.from({ length: 30 }, (_, index) => `user-${index}`);
    const project = await mailing(userIds);
    const { goal } = await project.api.createGoal({ body: { name: "Sales", holdoutPercent: 50 } });
    const { id, steps } = await launched(project, {
      goalId: goal.id,
      entry: { on: "request" },
      again: { afterDays: 0 },
    });
    const enter = async () => {
      await project.api.addJourneyEntries({ path: { id }, body: { userIds } });
      await pass(MINUTE);
    };
    const explain = (userId: string) => project.api.explainJourney({ path: { id }, body: { userId } });
    await enter();
    const firsts = [];
    for (const userId of userIds) firsts.push(await explain(userId));
    const out = firsts.find(({ passed }) => passed[0]?.did === "withheld");
    assert.equal(out?.left?.by, "finished");
    const [welcome] = steps;
    assert.ok(welcome?.kind === "send");
    await project.api.setCampaignStatus({ path: { id: welcome.campaignId }, body: { action: "pause" } });
    await enter();
    const { inside, left } = await explain(out.userId);
    assert.deepEqual([inside?.occasion, inside?.waitsFor, left], [1, "campaign_paused", null]);
  });

  it("says when they may enter again, and that a date is missing", async () => {
    const project = await mailing(["ada"]);
    const { id } = await launched(project, {
      entry: { on: "request" },
      again: { afterDays: 3 },
      steps: [{ id: "ends", kind: "wait", date: { trait: "endsAt", days: 0, at: "10:00", zone: "UTC" } }],
    });
    await project.api.addJourneyEntries({ path: { id }, body: { userIds: ["ada"] } });
    await pass(MINUTE);
    const explain = () => project.api.explainJourney({ path: { id }, body: { userId: "ada" } });
    const { inside } = await explain();
    assert.deepEqual([inside?.waitsFor, inside?.until], ["date", null]);
    await project.api.removeJourneyEntry({ path: { id }, body: { userId: "ada" } });
    const { barredBy, againAt } = await explain();
    assert.deepEqual([barredBy, againAt], ["again", (inside?.enteredAt ?? 0) + 3 * DAY]);
    await pass(3 * DAY, DAY);
    assert.deepEqual((await explain()).mayEnter, true);
  });

  it("is of its own project alone", async () => {
    const [own, other] = [await mailing([]), await mailing(["ada"])];
    const { id } = await launched(other, {});
    const path = { id };
    for (const call of [
      () => own.api.explainJourney({ path, body: { userId: "ada" } }),
      () => own.api.takeJourneyCensus({ path }),
    ])
      assert.equal((await refusal(call())).status, 404);
  });
});

describe("the census of a journey", () => {
  it("counts whom its next launch moves at once", async () => {
    const project = await mailing(["ada", "bo"]);
    const { id } = await launched(project, {
      entry: { on: "request" },
      steps: [wait("short", 1, "hours"), wait("long", 1, "days"), mail("later")],
    });
    const add = (userId: string) =>
      project.api.addJourneyEntries({ path: { id }, body: { userIds: [userId] } });
    const census = async () => {
      const { due, steps } = await project.api.takeJourneyCensus({ path: { id } });
      return { due, steps };
    };
    const act = (action: "launch" | "pause") =>
      project.api.setJourneyStatus({ path: { id }, body: { action } });
    await add("ada");
    await pass(90 * MINUTE, 30 * MINUTE);
    await add("bo");
    await pass(MINUTE);
    await act("pause");
    assert.deepEqual(await census(), { due: 0, steps: [] });
    await pass(2 * HOUR, HOUR);
    assert.deepEqual(await census(), { due: 1, steps: [{ stepId: "short", due: 1 }] });
    await pass(DAY, DAY);
    assert.deepEqual(await census(), {
      due: 2,
      steps: [
        { stepId: "long", due: 1 },
        { stepId: "short", due: 1 },
      ],
    });
    await act("launch");
    await pass(MINUTE);
    const { steps } = await project.api.getJourneyResults({ path: { id } });
    assert.deepEqual(
      steps.map(({ waited }) => waited),
      [2, 1, 0],
    );
    assert.deepEqual(await census(), { due: 0, steps: [] });
  });

  it("leaves no differences behind", async () => assert.deepEqual(await house.differences(), {}));
});
