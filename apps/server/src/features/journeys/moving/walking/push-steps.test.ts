import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer, Input } from "@tidings/client";
import { until } from "../../../../../test/commands/spawned.ts";
import type { Device } from "../../../../../test/devices.ts";
import { setSettings } from "../../../../../test/email.ts";
import { refusal, type TestProject } from "../../../../../test/harness.ts";
import { journeyTests, mail, wait } from "../../../../../test/journeys.ts";
import { observerOf } from "../../../../../test/observing.ts";
import { apnsRefuses } from "../../../../../test/peers/apns.ts";
import { inspect, PUSH, pushHouse, reachable } from "../../../../../test/push.ts";
import { uuidOf } from "../../../../domain/ids.ts";
import { defaultLimits } from "../../../../platform/limits.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../../platform/time/clock.ts";
import { readMovingAcrossProjects } from "../store.ts";
import { moveDue } from "./moving.ts";

const UNDER_WAY = 2;
const { house, apns, sendingProject } = await pushHouse({
  limits: { ...defaultLimits, pushesUnderWay: UNDER_WAY },
});

type Body = Input<"createJourney">["body"];
type Journey = Answer<"createJourney">["journey"];

const LONG = { ...PUSH, ttlSeconds: 10 * 24 * 3_600 };
const destination = { kind: "app" as const, url: "example://news" };
const push = (id: string, more: Partial<Extract<Body["steps"][number], { kind: "send" }>> = {}) =>
  ({
    id,
    kind: "send",
    channel: "push",
    message: { title: id, body: `This is ${id}.`, destination },
    push: LONG,
    ...more,
  }) as const;
const { launched: launchedAs, pass, smtp } = await journeyTests(house);

/** A journey that runs and sends one push, which an event ends, but for what is given. */
const launched = (project: TestProject, body: Partial<Body>): Promise<Journey> =>
  launchedAs(project, {
    exit: { onGoal: true, events: [{ event: "subscribed" }] },
    steps: [push("welcome")],
    ...body,
  });

/** A project that sends pushes and mail. */
async function sending(settings: Readonly<Record<string, string>> = {}): Promise<TestProject> {
  const project = await sendingProject();
  await setSettings(house, project, {
    "email.from": "Acme News <news@acme.example>",
    "email.postalAddress": "Acme, 1 Main Street, Springfield",
    "email.domainVerified": "true",
    "email.smtpUrl": `smtp://127.0.0.1:${smtp.port}`,
    ...settings,
  });
  return project;
}

/** Sets the clock to the next instant at which clocks of UTC show this hour. */
function toHour(hour: number): void {
  const day = Math.floor(house.now() / DAY_MS) * DAY_MS;
  const at = day + hour * HOUR_MS;
  house.at(at > house.now() ? at : at + DAY_MS);
}

/** The titles of the pushes that a device got, in their order. */
const pushesOf = ({ token }: { token: string }): unknown[] =>
  apns.taken
    .filter((taken) => taken.token === token)
    .map(({ payload }) => (payload.aps.alert as { title: string }).title);

const happens = ({ api }: TestProject, userId: string, event: string) =>
  api.track({ body: { userId, event } });

function campaignOf({ steps }: Journey, stepId: string): string {
  const step = steps.find(({ id }) => id === stepId);
  assert.ok(step?.kind === "send");
  return step.campaignId;
}

/** The states of the deliveries of a step, those of the first entry first. */
async function statesOf(project: TestProject, journey: Journey, stepId = "welcome"): Promise<string[]> {
  const path = { id: campaignOf(journey, stepId) };
  const { deliveries } = await project.api.listCampaignDeliveries({ path });
  return deliveries.map(({ state }) => state).toReversed();
}

/** State and reason of the slots of a step. */
async function slotsOf(project: TestProject, journey: Journey, stepId = "welcome") {
  const { slots } = await inspect(project, campaignOf(journey, stepId));
  return slots.map(({ state }) => [state.kind, "reason" in state ? state.reason : null]);
}

const resultsOf = ({ api }: TestProject, { id }: Journey) => api.getJourneyResults({ path: { id } });

/** What those did at a step who went on. */
async function didAt(project: TestProject, journey: Journey, stepId = "welcome") {
  const step = (await resultsOf(project, journey)).steps.find((each) => each.stepId === stepId);
  assert.ok(step);
  const { here, sent, skipped, withheld } = step;
  return { here, sent, skipped, withheld };
}
const NONE = { here: 0, sent: 0, skipped: 0, withheld: 0 };

/** Why a message of a step was skipped for a project's users. */
async function reasonsOf({ projectId }: TestProject): Promise<(string | null)[]> {
  const rows = await house.database.kysely
    .selectFrom("journeyMarks")
    .select("reason")
    .where("projectId", "=", projectId)
    .where("did", "=", "skipped")
    .execute();
  return rows.map(({ reason }) => reason);
}

describe("a push as a step of a journey", () => {
  it("leaves for who comes there, who goes on once it has left", async () => {
    const project = await sending();
    const [ada, bo] = [await reachable(project, "ada"), await reachable(project, "bo")];
    const journey = await launched(project, {
      steps: [push("welcome"), wait("pause", 3, "days"), push("reminder")],
    });
    await happens(project, "ada", "trial_started");
    await happens(project, "bo", "something_else");
    await pass(MINUTE_MS);
    assert.deepEqual([pushesOf(ada), pushesOf(bo)], [["welcome"], []]);
    assert.deepEqual(await didAt(project, journey), { ...NONE, sent: 1 });
    await pass(3 * DAY_MS + HOUR_MS, DAY_MS / 4);
    assert.deepEqual(pushesOf(ada), ["welcome", "reminder"]);
    const { left, inside } = await resultsOf(project, journey);
    assert.deepEqual([left.finished, inside], [1, 0]);
    assert.deepEqual(await statesOf(project, journey), ["sent"]);
  });

  it("has users stay while the provider does not take it", async () => {
    const project = await sending();
    const ada = await reachable(project, "ada");
    apns.behave(({ token }) => (token === ada.token ? apnsRefuses(503, "ServiceUnavailable") : null));
    const journey = await launched(project, { steps: [push("welcome"), push("second")] });
    await happens(project, "ada", "trial_started");
    await pass(SECOND_MS * 20, 5 * SECOND_MS);
    assert.deepEqual(await didAt(project, journey), { ...NONE, here: 1 });
    apns.behave(() => null);
    await pass(10 * MINUTE_MS, 30 * SECOND_MS);
    assert.deepEqual(pushesOf(ada), ["welcome", "second"]);
    assert.deepEqual(await didAt(project, journey), { ...NONE, sent: 1 });
  });

  it("is skipped for who cannot get it, with the reason, and they go on", async () => {
    const project = await sending();
    await project.api.identify({ body: { userId: "zoe" } });
    await reachable(project, "mute", { token: null });
    const ada = await reachable(project, "ada");
    const journey = await launched(project, {
      entry: { on: "request" },
      steps: [push("welcome"), push("second")],
    });
    const userIds = ["zoe", "mute", "ada"];
    await project.api.addJourneyEntries({ path: { id: journey.id }, body: { userIds } });
    await pass(MINUTE_MS);
    for (const stepId of ["welcome", "second"])
      assert.deepEqual(await didAt(project, journey, stepId), { ...NONE, sent: 1, skipped: 2 });
    const reasons = await reasonsOf(project);
    assert.deepEqual(reasons.toSorted(), ["no_installation", "no_installation", "no_token", "no_token"]);
    assert.deepEqual(pushesOf(ada), ["welcome", "second"]);
    // A device that comes later gets nothing: its user has gone on.
    const { planning } = await inspect(project, campaignOf(journey, "welcome"));
    assert.equal(planning.waiting, 0);
    await reachable(project, "zoe");
    await pass(HOUR_MS);
    assert.deepEqual(await statesOf(project, journey), ["sent"]);
  });

  it("is skipped for who wants none about its topic", async () => {
    const project = await sending();
    const ada = await reachable(project, "ada");
    const { topic } = await project.api.createTopic({
      body: { key: "news", name: "News", isDefault: "out" },
    });
    const journey = await launched(project, { steps: [push("welcome", { topicId: topic.id })] });
    await happens(project, "ada", "trial_started");
    await pass(MINUTE_MS);
    assert.deepEqual(pushesOf(ada), []);
    assert.deepEqual(await reasonsOf(project), ["not_subscribed"]);
    assert.equal((await resultsOf(project, journey)).left.finished, 1);
  });

  it("is withheld from who is held out of the goal, who walks alike", async () => {
    const project = await sending();
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", targetEvent: "bought", holdoutPercent: 50 },
    });
    const ids = Array.from({ length: 16 }, (_, n) => `user-${n}`);
    const devices = await Promise.all(ids.map((id) => reachable(project, id)));
    const journey = await launched(project, { goalId: goal.id, entry: { on: "request" } });
    await project.api.addJourneyEntries({ path: { id: journey.id }, body: { userIds: ids } });
    await pass(MINUTE_MS);
    const got = devices.filter((device) => pushesOf(device).length > 0).length;
    assert.ok(got > 0 && got < ids.length, `${got} of ${ids.length}`);
    assert.deepEqual(await didAt(project, journey), { ...NONE, sent: got, withheld: ids.length - got });
    assert.equal((await resultsOf(project, journey)).left.finished, ids.length);
  });

  it("leaves again for who enters again", async () => {
    const project = await sending();
    const ada = await reachable(project, "ada");
    const journey = await launched(project, { again: { afterDays: 2 } });
    for (const days of [0, 1, 1.5]) {
      house.advance(days * DAY_MS);
      await happens(project, "ada", "trial_started");
      await pass(MINUTE_MS);
    }
    assert.deepEqual(pushesOf(ada), ["welcome", "welcome"]);
    assert.deepEqual(await statesOf(project, journey), ["sent", "sent"]);
    const { recipients } = await inspect(project, campaignOf(journey, "welcome"));
    assert.equal(new Set(recipients.map(({ deliveryId }) => deliveryId)).size, 2);
    assert.deepEqual(await didAt(project, journey), { ...NONE, sent: 2 });
  });

  it("leaves again for who had it, also once the goal holds them out, as its mail does", async () => {
    const project = await sending();
    const { goal } = await project.api.createGoal({ body: { name: "Sales", targetEvent: "bought" } });
    const userIds = Array.from({ length: 12 }, (_, n) => `user-${n}`);
    for (const userId of userIds) {
      await reachable(project, userId);
      const email = `${userId}@${project.projectId}.example`;
      await project.api.identify({ body: { userId, traits: { email } } });
    }
    const journey = await launched(project, {
      goalId: goal.id,
      entry: { on: "request" },
      again: { afterDays: 0 },
      steps: [push("welcome"), mail("hello")],
    });
    const path = { id: journey.id };
    await project.api.addJourneyEntries({ path, body: { userIds } });
    await pass(5 * MINUTE_MS, 20 * SECOND_MS);
    const { revision: expectedRevision } = goal;
    const change = { holdoutPercent: 50, expectedRevision };
    await project.api.updateGoal({ path: { id: goal.id }, body: change });
    await project.api.addJourneyEntries({ path, body: { userIds } });
    await pass(5 * MINUTE_MS, 20 * SECOND_MS);
    for (const stepId of ["welcome", "hello"])
      assert.deepEqual(await didAt(project, journey, stepId), { ...NONE, sent: 2 * userIds.length });
  });

  it("leaves once, also where two processes move its users at once", async () => {
    const project = await sending();
    const ids = Array.from({ length: 20 }, (_, n) => `user-${n}`);
    const devices = await Promise.all(ids.map((id) => reachable(project, id)));
    const journey = await launched(project, {
      entry: { on: "request" },
      steps: [push("welcome"), wait("pause", 1, "minutes"), push("later")],
    });
    await project.api.addJourneyEntries({ path: { id: journey.id }, body: { userIds: ids } });
    const { app } = house.tidings;
    for (let turn = 0; turn < 8; turn++) {
      const [moving] = await readMovingAcrossProjects(app.database.kysely, [uuidOf("jrn", journey.id) ?? ""]);
      assert.ok(moving);
      await Promise.all([1, 2, 3, 4].map(() => moveDue(app, moving)));
      await pass(20 * SECOND_MS);
    }
    for (const device of devices) assert.deepEqual(pushesOf(device), ["welcome", "later"]);
    for (const stepId of ["welcome", "later"])
      assert.deepEqual(await didAt(project, journey, stepId), { ...NONE, sent: ids.length });
  });

  it("follows mail, and mail follows it", async () => {
    const project = await sending();
    const ada = await reachable(project, "ada");
    const email = `ada@${project.projectId}.example`;
    await project.api.identify({ body: { userId: "ada", traits: { email } } });
    await launched(project, { steps: [mail("first"), push("second"), mail("third")] });
    await happens(project, "ada", "trial_started");
    await pass(10 * MINUTE_MS, 20 * SECOND_MS);
    const subjects = smtp.taken
      .filter(({ to }) => to === email)
      .map(({ raw }) => /^Subject: (.*)$/m.exec(raw.toString("utf8"))?.[1]?.trim());
    assert.deepEqual([subjects, pushesOf(ada)], [["first", "third"], ["second"]]);
  });

  it("leaves at the hour of its reader, who stays until then", async () => {
    const project = await sending({ "time.quiet": "21:00-08:00" });
    const ada = await reachable(project, "ada");
    toHour(22);
    const journey = await launched(project, { steps: [push("welcome"), push("second")] });
    await happens(project, "ada", "trial_started");
    await pass(9 * HOUR_MS, HOUR_MS);
    assert.deepEqual([pushesOf(ada), await slotsOf(project, journey)], [[], [["waiting", "quiet"]]]);
    const { entries } = await project.api.listJourneyEntries({ path: { id: journey.id } });
    assert.ok((entries[0]?.dueAt ?? 0) >= house.now() + HOUR_MS - MINUTE_MS, "there is no look before");
    await pass(90 * MINUTE_MS, 5 * MINUTE_MS);
    assert.deepEqual(pushesOf(ada), ["welcome", "second"]);
  });

  it("goes on without what nobody will ever know of", async () => {
    const project = await sending();
    const ada = await reachable(project, "ada");
    apns.behave(({ token }) => (token === ada.token ? "reset" : null));
    const journey = await launched(project, {});
    await happens(project, "ada", "trial_started");
    await pass(6 * HOUR_MS, 10 * MINUTE_MS);
    apns.behave(() => null);
    assert.deepEqual(await slotsOf(project, journey), [["closed", "uncertain"]]);
    assert.deepEqual(await reasonsOf(project), ["uncertain"]);
    assert.equal((await resultsOf(project, journey)).left.finished, 1);
  });
});

describe("a push of a journey that is over for its user", () => {
  /** A user whose push is kept by quiet hours. */
  async function postponed(): Promise<{
    project: TestProject;
    ada: Device & { token: string };
    journey: Journey;
  }> {
    const project = await sending({ "time.quiet": "21:00-08:00" });
    const ada = await reachable(project, "ada");
    toHour(22);
    const journey = await launched(project, {});
    await happens(project, "ada", "trial_started");
    await pass(MINUTE_MS);
    assert.deepEqual(await slotsOf(project, journey), [["waiting", "quiet"]]);
    return { project, ada, journey };
  }

  it("never leaves after the event that ends it, however long it was postponed", async () => {
    const { project, ada, journey } = await postponed();
    await happens(project, "ada", "subscribed");
    await pass(12 * HOUR_MS, HOUR_MS);
    assert.deepEqual(pushesOf(ada), []);
    assert.deepEqual(await statesOf(project, journey), ["withdrawn"]);
    assert.deepEqual(await slotsOf(project, journey), [["closed", "left_journey"]]);
    assert.equal((await resultsOf(project, journey)).left.event, 1);
  });

  it("never leaves after an event that its device reports", async () => {
    const { project, ada, journey } = await postponed();
    await observerOf(project, ada).tell({ kind: "event", event: "subscribed" });
    await pass(12 * HOUR_MS, HOUR_MS);
    assert.deepEqual([pushesOf(ada), await statesOf(project, journey)], [[], ["withdrawn"]]);
  });

  it("never leaves for who was taken out", async () => {
    const { project, ada, journey } = await postponed();
    await project.api.removeJourneyEntry({ path: { id: journey.id }, body: { userId: "ada" } });
    await pass(12 * HOUR_MS, HOUR_MS);
    assert.deepEqual([pushesOf(ada), await statesOf(project, journey)], [[], ["withdrawn"]]);
  });

  it("is closed where the journey ends", async () => {
    const { project, ada, journey } = await postponed();
    await project.api.setJourneyStatus({ path: { id: journey.id }, body: { action: "end" } });
    await pass(12 * HOUR_MS, HOUR_MS);
    assert.deepEqual(pushesOf(ada), []);
    assert.deepEqual(await slotsOf(project, journey), [["closed", "campaign_ended"]]);
    const { left, inside } = await resultsOf(project, journey);
    assert.deepEqual([left.ended, inside], [1, 0]);
  });

  it("is not tried again where the provider did not take it at first", async () => {
    const project = await sending();
    const [ada, bo] = [await reachable(project, "ada"), await reachable(project, "bo")];
    const theirs = [ada.token, bo.token];
    apns.behave(({ token }) => (theirs.includes(token) ? apnsRefuses(503, "ServiceUnavailable") : null));
    const journey = await launched(project, {});
    for (const userId of ["ada", "bo"]) await happens(project, userId, "trial_started");
    await pass(20 * SECOND_MS, 5 * SECOND_MS);
    const tried = apns.requests.filter(({ token }) => token === ada.token).length;
    assert.ok(tried > 0);
    apns.behave(() => null);
    await happens(project, "ada", "subscribed");
    await pass(10 * MINUTE_MS, 30 * SECOND_MS);
    assert.deepEqual([pushesOf(ada), pushesOf(bo)], [[], ["welcome"]]);
    assert.equal(apns.requests.filter(({ token }) => token === ada.token).length, tried);
    assert.deepEqual((await statesOf(project, journey)).toSorted(), ["sent", "withdrawn"]);
  });

  it("stays where it was reserved when the event was taken, and the journey has not looked at it", async () => {
    const project = await sending();
    const ids = Array.from({ length: 10 }, (_, n) => `user-${n}`);
    const devices = await Promise.all(ids.map((id) => reachable(project, id)));
    const tokens = new Set(devices.map(({ token }) => token));
    const under = () => apns.requests.filter(({ token }) => tokens.has(token));
    const release = Promise.withResolvers<null>();
    apns.behave(({ token }) => (tokens.has(token) ? release.promise : null));
    const journey = await launched(project, { entry: { on: "request" } });
    await project.api.addJourneyEntries({ path: { id: journey.id }, body: { userIds: ids } });
    house.advance(SECOND_MS);
    const draining = house.drain();
    await until(() => under().length === UNDER_WAY, "two are under way");
    const leaving = new Set(under().map(({ token }) => token));
    const later = ids.filter((_, n) => !leaving.has(devices[n]?.token ?? ""));
    await Promise.all(later.map((userId) => happens(project, userId, "subscribed")));
    release.resolve(null);
    await draining;
    await pass(10 * MINUTE_MS, 30 * SECOND_MS);
    apns.behave(() => null);
    assert.equal(under().length, ids.length - later.length);
    const states = await statesOf(project, journey);
    assert.equal(states.filter((state) => state === "withdrawn").length, later.length);
    const { left } = await resultsOf(project, journey);
    assert.deepEqual([left.event, left.finished], [later.length, ids.length - later.length]);
  });
});

describe("the campaign of a step that sends pushes", () => {
  it("takes what a push campaign has, and refuses what it has not, with the place", async () => {
    const project = await sending();
    const variants = ["A", "B"].map((name) => ({
      name,
      message: { title: name, body: "It is here.", destination },
    }));
    const { id, kind, channel } = push("welcome");
    const settings = { ...LONG, replacementKey: "welcome" };
    const journey = await launched(project, {
      steps: [{ id, kind, channel, variants, push: settings, priority: 4, patienceHours: 5 }],
    });
    const { campaign } = await project.api.getCampaign({ path: { id: campaignOf(journey, "welcome") } });
    assert.deepEqual(
      [campaign.channel, campaign.variants.length, campaign.push?.replacementKey, campaign.patienceHours],
      ["push", 2, "welcome", 5],
    );
    const { push: _, ...without } = push("other");
    const cases: [Body["steps"][number], RegExp][] = [
      [without, /^steps\[1\]: .*push/],
      [push("other", { message: { subject: "Hello", body: "Hello" } }), /^steps\[1\]: .*message/],
      [{ ...mail("other"), push: LONG }, /^steps\[1\]: .*push/],
    ];
    for (const [step, wanted] of cases) {
      const body = { name: "X", entry: { on: "request" as const }, steps: [wait("a", 1, "hours"), step] };
      const { status, error } = await refusal(project.api.createJourney({ body }));
      assert.equal(status, 400);
      assert.match(error, wanted);
    }
  });

  it("is tested, explained and planned as that of mail is", async () => {
    const project = await sending();
    const ada = await reachable(project, "ada");
    const journey = await launched(project, { entry: { on: "request" } });
    const path = { id: campaignOf(journey, "welcome") };
    const body = { installationId: ada.installationId, requestId: "look" };
    await project.api.sendPushTest({ path, body });
    await house.drain();
    assert.deepEqual(pushesOf(ada), ["welcome"], "a test leaves for who is in no journey");
    for (const ask of [
      () => project.api.explainCampaign({ path, body: { userId: "ada" } }),
      () => project.api.takeCampaignCensus({ path }),
    ]) {
      const { status, body: refused } = await refusal(ask());
      assert.deepEqual([status, Object(refused).reason], [409, "journey_step"]);
    }
    await project.api.dispatchCampaignPush({ path });
    await pass(MINUTE_MS);
    assert.deepEqual(await statesOf(project, journey), [], "nobody gets it who does not come there");
  });

  it("keeps users at its step while it is paused", async () => {
    const project = await sending();
    const ada = await reachable(project, "ada");
    const journey = await launched(project, { entry: { on: "request" } });
    const path = { id: campaignOf(journey, "welcome") };
    await project.api.setCampaignStatus({ path, body: { action: "pause" } });
    await project.api.addJourneyEntries({ path: { id: journey.id }, body: { userIds: ["ada"] } });
    await pass(MINUTE_MS);
    assert.deepEqual([pushesOf(ada), (await didAt(project, journey)).here], [[], 1]);
    await project.api.setCampaignStatus({ path, body: { action: "launch" } });
    await pass(MINUTE_MS);
    assert.deepEqual([pushesOf(ada), await didAt(project, journey)], [["welcome"], { ...NONE, sent: 1 }]);
  });

  it("leaves no differences behind", async () => assert.deepEqual(await house.differences(), {}));
});
