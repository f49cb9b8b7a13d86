import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { explain, gateOf, shortly } from "../../../test/eligibility.ts";
import { launchEmail, setSettings } from "../../../test/email.ts";
import type { TestProject } from "../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../test/peers/smtp.ts";
import { inspect, launchPush, PUSH, pushHouse, reachable } from "../../../test/push.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/time/clock.ts";

// With a databaseUrl, two processes that work leave each other's leases alone.
const { house, sendingProject } = await pushHouse({ databaseUrl: "postgres://elsewhere" });
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const LONG = { ...PUSH, ttlSeconds: 10 * 24 * 3_600 };

/** A project that sends mail and pushes, without a cap on mails. */
async function sending(settings: Readonly<Record<string, string>> = {}): Promise<TestProject> {
  const project = await sendingProject();
  await setSettings(house, project, {
    "email.from": "Acme News <news@acme.example>",
    "email.postalAddress": "Acme, 1 Main Street, Springfield",
    "email.domainVerified": "true",
    "email.smtpUrl": `smtp://127.0.0.1:${smtp.port}`,
    "email.capMax": "0",
    ...settings,
  });
  return project;
}

/** A user with an address and a device. */
async function reader(project: TestProject, userId: string, zone: string | null = null): Promise<void> {
  const device = await reachable(project, userId);
  assert.ok(device.token);
  await project.api.identify({
    body: {
      userId,
      traits: {
        email: `${userId}@${project.projectId}.example`,
        ...(zone === null ? {} : { $timezone: zone }),
      },
    },
  });
}

/** How many messages of each of some campaigns have left. */
async function sentOf({ api }: TestProject, ids: readonly string[]): Promise<number[]> {
  const found = await Promise.all(ids.map((id) => api.getCampaign({ path: { id } })));
  return found.map(({ campaign }) => campaign.stats.sent);
}

/** Sets the clock to the next instant at which clocks of UTC show this. */
function toHour(hour: number): void {
  const day = Math.floor(house.now() / (24 * HOUR_MS)) * 24 * HOUR_MS;
  const at = day + hour * HOUR_MS;
  house.at(at > house.now() ? at : at + 24 * HOUR_MS);
}

const slotOf = async (project: TestProject, id: string) => (await inspect(project, id)).slots[0];

describe("pushes", () => {
  it("leave at the hour of their reader, and their time to live begins then", async () => {
    const project = await sending();
    await reader(project, "ada", "America/New_York");
    toHour(12);
    const push = { ...PUSH, ttlSeconds: 3_600 };
    const { id } = await launchPush(project, { push, sendTime: { at: "09:00", zone: "user" } });
    await house.drain();
    const at = house.now() + 2 * HOUR_MS;
    const slot = await slotOf(project, id);
    assert.deepEqual(slot?.state, { kind: "waiting", reason: "local_hour", recheckAt: at });
    assert.equal(gateOf(await explain(project, id, "ada"), "time").until, at);
    house.at(at - 1);
    await house.drain();
    assert.deepEqual(await sentOf(project, [id]), [0]);
    house.at(at);
    await house.drain();
    assert.deepEqual(await sentOf(project, [id]), [1]);
    house.advance(24 * HOUR_MS);
    await house.drain();
    assert.deepEqual(await sentOf(project, [id]), [1]);
    assert.deepEqual(await house.differences(), {});
  });

  it("wait for the end of quiet hours, follow the settings, and are found while thousands wait", async () => {
    const project = await sending({ "time.quiet": "21:00-08:00" });
    await reader(project, "ada");
    await reader(project, "kim", "Asia/Tokyo");
    toHour(22);
    const { id } = await launchPush(project, { push: LONG });
    await house.drain();
    assert.deepEqual(await sentOf(project, [id]), [0]);
    house.advance(HOUR_MS);
    await house.drain();
    assert.deepEqual(await sentOf(project, [id]), [1], "it is eight in Tokyo");
    await setSettings(house, project, { "time.quiet": "" });
    house.advance(2 * SECOND_MS);
    await house.drain();
    assert.deepEqual(await sentOf(project, [id]), [2]);
    const urgent = await launchPush(project, { name: "Urgent", urgent: true });
    await setSettings(house, project, { "time.quiet": "00:00-23:59" });
    const waits = await launchPush(project, { name: "Waits", push: LONG });
    await house.drain();
    assert.deepEqual(await sentOf(project, [urgent.id, waits.id]), [2, 0]);
    await project.api.updateCampaign({ path: { id: waits.id }, body: { urgent: true } });
    house.advance(2 * SECOND_MS);
    await house.drain();
    assert.deepEqual(await sentOf(project, [waits.id]), [2]);
    assert.deepEqual(await house.differences(), {});
  });

  it("end with their time to live in quiet hours, which is no patience of the campaign", async () => {
    const project = await sending({ "time.quiet": "21:00-08:00" });
    await reader(project, "ada");
    toHour(22);
    const { id } = await launchPush(project, { push: { ...PUSH, ttlSeconds: 3_600 } });
    await house.drain();
    house.advance(HOUR_MS);
    await house.drain();
    assert.deepEqual((await slotOf(project, id))?.state, { kind: "closed", reason: "expired" });
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id } });
    assert.deepEqual(
      deliveries.map(({ state }) => state),
      ["failed"],
    );
  });

  it("are withdrawn when the campaign has no patience any more", async () => {
    const project = await sending({ "pressure.max": "1" });
    await reader(project, "ada");
    const first = await launchPush(project, { push: LONG });
    await house.drain();
    const second = await launchPush(project, { name: "Second", push: LONG, patienceHours: 2 });
    await house.drain();
    const state = (await slotOf(project, second.id))?.state;
    assert.deepEqual(state, { kind: "waiting", reason: "pressure", recheckAt: house.now() + 2 * HOUR_MS });
    house.advance(2 * HOUR_MS);
    await house.drain();
    assert.deepEqual(await sentOf(project, [first.id, second.id]), [1, 0]);
    assert.deepEqual((await slotOf(project, second.id))?.state, { kind: "closed", reason: "patience" });
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id: second.id } });
    assert.deepEqual(
      deliveries.map((each) => each.state),
      ["withdrawn"],
    );
    assert.deepEqual(await house.differences(), {});
  });

  it("reach all devices of a reader, which is one message", async () => {
    const project = await sending({ "pressure.max": "1" });
    for (let devices = 0; devices < 2; devices++) await reachable(project, "ada");
    const all = { ...PUSH, selection: { kind: "all" as const } };
    const { id } = await launchPush(project, { push: all });
    await house.drain();
    const { slots } = await inspect(project, id);
    assert.deepEqual(
      slots.map(({ state }) => state.kind),
      ["accepted", "accepted"],
    );
  });

  it("are tested at once, at any hour and however much was sent", async () => {
    const project = await sending({ "time.quiet": "00:00-23:59", "pressure.max": "1" });
    const device = await reachable(project, "ada");
    const { id } = await launchPush(project, { launch: false, sendTime: { at: "09:00", zone: "user" } });
    const body = { installationId: device.installationId, requestId: "one" };
    await project.api.sendPushTest({ path: { id }, body });
    await house.drain();
    const test = await project.api.getPushTest({ path: { id, requestId: "one" } });
    assert.deepEqual(
      test.outcomes.map(({ result }) => result.kind),
      ["accepted"],
    );
  });
});

describe("a census of pushes", () => {
  it("says who would get them later, as what then happens", async () => {
    const project = await sending({
      "time.quiet": "21:00-08:00",
      "pressure.max": "1",
      "pressure.hours": "48",
    });
    await reader(project, "had");
    await reader(project, "kim", "Asia/Tokyo");
    toHour(12);
    const mail = await launchEmail(project);
    await house.drain();
    // It is nine in the evening in Tokyo, so that only one of them got the mail.
    assert.deepEqual(await sentOf(project, [mail.id]), [1]);
    await project.api.setCampaignStatus({ path: { id: mail.id }, body: { action: "end" } });
    await reader(project, "new");
    for (const message of [
      undefined,
      {
        title: "Hi {{ user.name | default: 'you' }}",
        body: "!",
        destination: { kind: "app" as const, url: "a://b" },
      },
    ]) {
      const { id } = await launchPush(project, {
        launch: false,
        push: LONG,
        ...(message === undefined ? {} : { message }),
      });
      const { later, willReceive } = await project.api.takeCampaignCensus({ path: { id } });
      assert.deepEqual([willReceive, later], [3, { localHour: 0, quiet: 1, pressure: 1 }]);
    }
    const { id } = await launchPush(project, { push: LONG });
    const outcomes = await Promise.all(
      ["had", "kim", "new"].map(async (user) => shortly(await explain(project, id, user))),
    );
    assert.deepEqual(outcomes, ["postponed by pressure", "postponed by quiet", "would_receive"]);
    await house.drain();
    assert.deepEqual(await sentOf(project, [id]), [1]);
  });
});

describe("two channels under a pressure of one", () => {
  it("never give a reader two, whichever is leased first, over several processes", async () => {
    const project = await sending({ "pressure.max": "1", "pressure.hours": "100" });
    const users = Array.from({ length: 40 }, (_, n) => `u${n}`);
    for (const user of users) await reader(project, user);
    const [mail, push] = [await launchEmail(project), await launchPush(project, { push: LONG })];
    const other = await house.second();
    for (let turn = 0; turn < 4; turn++) {
      await Promise.all([house.drain(), other.drain()]);
      house.advance(6 * SECOND_MS);
    }
    const had = new Map<string, number>();
    for (const { id } of [mail, push]) {
      const { deliveries } = await project.api.listCampaignDeliveries({
        path: { id },
        query: { perPage: 100 },
      });
      for (const { externalUserId, sentAt } of deliveries)
        if (sentAt !== null) had.set(externalUserId, (had.get(externalUserId) ?? 0) + 1);
    }
    assert.deepEqual(
      [...had.values()].filter((count) => count !== 1),
      [],
    );
    assert.equal(had.size, users.length);
    const [mails, pushes] = await sentOf(project, [mail.id, push.id]);
    assert.equal((mails ?? 0) + (pushes ?? 0), users.length);
    house.advance(100 * HOUR_MS);
    for (let turn = 0; turn < 3; turn++) {
      await house.drain();
      house.advance(MINUTE_MS);
    }
    assert.deepEqual(await house.differences(), {});
  });

  it("have the limit of a topic in common, whichever of them counts for the project", async () => {
    const project = await sending({ "pressure.counts": "push" });
    await reader(project, "ada");
    const { topic } = await project.api.createTopic({
      body: { key: "tips", name: "Tips", isDefault: "in", max: 1, days: 7 },
    });
    const mail = await launchEmail(project, { topicId: topic.id });
    await house.drain();
    const push = await launchPush(project, { topicId: topic.id, push: LONG });
    const draft = await launchEmail(project, { name: "Draft", topicId: topic.id, launch: false });
    const { later } = await project.api.takeCampaignCensus({ path: { id: draft.id } });
    assert.deepEqual(later, { localHour: 0, quiet: 0, pressure: 1 });
    await house.drain();
    assert.deepEqual(await sentOf(project, [mail.id, push.id]), [1, 0]);
  });

  it("counts an accepted push against mail, and mail against pushes, but only the channels that count", async () => {
    const project = await sending({ "pressure.max": "1" });
    await reader(project, "ada");
    const push = await launchPush(project, { push: LONG });
    await house.drain();
    const mail = await launchEmail(project);
    await house.drain();
    assert.deepEqual(await sentOf(project, [push.id, mail.id]), [1, 0]);
    await setSettings(house, project, { "pressure.counts": "email" });
    house.advance(2 * SECOND_MS);
    await house.drain();
    assert.deepEqual(await sentOf(project, [mail.id]), [1], "pushes count no more");
    const next = await launchPush(project, { name: "Next", push: LONG });
    await house.drain();
    assert.deepEqual(await sentOf(project, [next.id]), [1], "pushes wait no more");
  });
});
