import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CAPABILITIES, install } from "../../../../../test/devices.ts";
import type { TestProject } from "../../../../../test/harness.ts";
import {
  APP,
  inspect,
  launchPush,
  MESSAGE,
  PUSH,
  type PushMessage,
  pushHouse,
  putCredential,
  reachable,
  stateOf,
} from "../../../../../test/push.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../../platform/time/clock.ts";

const { house, apns, sendingProject } = await pushHouse();

const soon = async (): Promise<void> => {
  house.advance(30 * SECOND_MS);
  await house.drain();
};

const sentTo = (token: string): number => apns.taken.filter((push) => push.token === token).length;

type Hindrance = {
  reason: string;
  /** Makes a user who cannot be sent a push yet; answers a function that removes the cause. */
  hinder(project: TestProject): Promise<() => Promise<unknown>>;
  message?: PushMessage;
};

const HINDRANCES: readonly Hindrance[] = [
  {
    reason: "no_installation",
    hinder: async (project) => {
      await project.sdk.identify({ body: { userId: "ada" } });
      return () => reachable(project, "ada");
    },
  },
  {
    reason: "no_token",
    hinder: async (project) => {
      const device = await reachable(project, "ada", { token: null });
      return () => device.put("abcd01");
    },
  },
  {
    reason: "no_consent",
    hinder: async (project) => {
      const device = await reachable(project, "ada");
      await device.say({ consent: false });
      return () => device.say();
    },
  },
  {
    reason: "permission",
    hinder: async (project) => {
      const device = await reachable(project, "ada");
      await device.say({ permission: "denied" });
      return () => device.say({ permission: "provisional" });
    },
  },
  {
    reason: "capability",
    message: { ...MESSAGE, actions: [{ id: "archive", title: "Archive" }] },
    hinder: async (project) => {
      const device = await reachable(project, "ada");
      return () => device.say({ capabilities: { ...CAPABILITIES, actions: ["archive"] } });
    },
  },
  {
    reason: "credential",
    hinder: async (project) => {
      await reachable(project, "ada", { environment: "development" });
      return () => putCredential(project, apns.credential, { environment: "development" });
    },
  },
  {
    reason: "trait_missing",
    message: { ...MESSAGE, title: "Dear {{ user.title }}" },
    hinder: async (project) => {
      await reachable(project, "ada");
      return () => project.sdk.identify({ body: { userId: "ada", traits: { title: "Countess" } } });
    },
  },
];

describe("a user who cannot be sent to yet", () => {
  for (const { reason, hinder, message = MESSAGE } of HINDRANCES) {
    it(`waits with ${reason}, and is sent to within 30 s of its end`, async () => {
      const project = await sendingProject();
      const mend = await hinder(project);
      const { id } = await launchPush(project, { message });
      await house.drain();
      assert.deepEqual(await stateOf(project, id, "recipients"), ["waiting", reason]);
      const { recipients, planning, users, slots } = await inspect(project, id);
      assert.deepEqual([planning, slots], [{ waiting: 1, active: 0, closed: 0 }, []]);
      assert.equal(users.targeted, 0);
      assert.equal(recipients[0]?.deliveryId, null);
      const { deliveries } = await project.api.listCampaignDeliveries({ path: { id } });
      assert.deepEqual(deliveries, []);
      const state = recipients[0]?.state;
      assert.ok(state?.kind === "waiting" && state.recheckAt <= house.now() + 30 * SECOND_MS);
      assert.equal(state.delayMs, state.recheckAt - state.checkedAt);
      await mend();
      await soon();
      assert.deepEqual(await stateOf(project, id, "slots"), ["accepted", null]);
      assert.deepEqual(await stateOf(project, id, "recipients"), ["closed", "accepted"]);
    });
  }

  it("is not sent to any more when the audience has let them go", async () => {
    const project = await sendingProject();
    await project.sdk.identify({ body: { userId: "ada", traits: { plan: "free" } } });
    const { id } = await launchPush(project, { targeting: { traits: { plan: "free" } } });
    await house.drain();
    await project.sdk.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    const device = await reachable(project, "ada");
    await soon();
    assert.equal(sentTo(device.token), 0);
    assert.deepEqual(await stateOf(project, id, "recipients"), ["waiting", "no_installation"]);
  });
});

describe("the devices of a user", () => {
  /** Three devices of a user; the second was used last. */
  async function threeDevices(project: TestProject) {
    const first = await reachable(project, "ada", { installationId: "dev-b" });
    const second = await reachable(project, "ada", { installationId: "dev-a" });
    const third = await reachable(project, "ada", { installationId: "dev-c" });
    await first.use();
    house.advance(SECOND_MS);
    await second.use();
    return { first, second, third };
  }

  it("last_active takes the one used last, for good", async () => {
    const project = await sendingProject();
    const { first, second } = await threeDevices(project);
    await second.put(null);
    const { id } = await launchPush(project);
    await house.drain();
    assert.equal(sentTo(first.token), 1, "the one used last that can be sent to");
    assert.equal((await inspect(project, id)).slots.length, 1);
  });

  it("last_active does not move on to another device once one is chosen", async () => {
    const project = await sendingProject();
    const { first, second, third } = await threeDevices(project);
    const { id } = await launchPush(project, { deliverFrom: house.now() - 1 });
    await project.api.dispatchCampaignPush({ path: { id } });
    await second.say({ consent: false });
    await soon();
    assert.deepEqual(
      [first, second, third].map(({ token }) => sentTo(token)),
      [0, 0, 0],
    );
    assert.deepEqual(await stateOf(project, id, "slots"), ["waiting", "no_consent"]);
    await second.say();
    await soon();
    assert.deepEqual(
      [first, second, third].map(({ token }) => sentTo(token)),
      [0, 1, 0],
    );
  });

  it("of two that were used at the same moment it takes the first by id", async () => {
    const project = await sendingProject();
    const b = await reachable(project, "ada", { installationId: "dev-2" });
    const a = await reachable(project, "ada", { installationId: "dev-1" });
    await b.use();
    await a.use();
    await launchPush(project);
    await house.drain();
    assert.deepEqual([sentTo(a.token), sentTo(b.token)], [1, 0]);
  });

  it("all takes those that can be sent to, and none that comes later", async () => {
    const project = await sendingProject();
    const { first, second, third } = await threeDevices(project);
    await third.say({ permission: "denied" });
    const { id } = await launchPush(project, { push: { ...PUSH, selection: { kind: "all" } } });
    await house.drain();
    await third.say();
    await reachable(project, "ada");
    await soon();
    assert.deepEqual(
      [first, second, third].map(({ token }) => sentTo(token)),
      [1, 1, 0],
    );
    const { users, devices } = await inspect(project, id);
    assert.deepEqual([users.targeted, users.accepted, devices.targeted, devices.accepted], [1, 1, 2, 2]);
    assert.equal((await project.api.getCampaign({ path: { id } })).campaign.stats.sent, 1);
  });

  it("all takes those of each user, however many that are, and lets those wait who have none", async () => {
    const project = await sendingProject();
    const counts = new Map(
      ["ada", "ben", "cyd", "dee", "eve", "fay"].map((user, index) => [user, index % 3]),
    );
    const tokens: string[] = [];
    for (const [userId, count] of counts) {
      await project.sdk.identify({ body: { userId } });
      for (let n = 0; n < count; n++) tokens.push((await reachable(project, userId)).token);
    }
    const { id } = await launchPush(project, { push: { ...PUSH, selection: { kind: "all" } } });
    await house.drain();
    assert.deepEqual(tokens.map(sentTo), [1, 1, 1, 1, 1, 1]);
    const { users, devices, recipients } = await inspect(project, id);
    assert.deepEqual([users.accepted, devices.accepted], [4, 6]);
    const reasons = recipients.map(({ state }) => ("reason" in state ? state.reason : state.kind));
    assert.deepEqual(reasons.sort(), [...Array(4).fill("accepted"), ...Array(2).fill("no_installation")]);
  });

  it("specific takes that one, and nobody else waits for anything", async () => {
    const project = await sendingProject();
    const { third } = await threeDevices(project);
    await reachable(project, "ben");
    const selection = { kind: "specific" as const, installationId: third.installationId };
    const { id } = await launchPush(project, { push: { ...PUSH, selection } });
    await house.drain();
    assert.equal(sentTo(third.token), 1);
    const { users, records } = await inspect(project, id);
    assert.deepEqual([users.targeted, records.recipients, records.slots], [1, 1, 1]);
  });

  it("of another app, of nobody, or of another project get nothing", async () => {
    const project = await sendingProject();
    const other = await install(project, { appId: "com.example.other" });
    await other.bind("ada");
    const strange = await sendingProject();
    const theirs = await reachable(strange, "ada");
    const { id } = await launchPush(project);
    await house.drain();
    assert.deepEqual(await stateOf(project, id, "recipients"), ["waiting", "no_installation"]);
    assert.equal(sentTo(theirs.token), 0);
  });
});

describe("a device that was chosen", () => {
  /** A device that was chosen and has not been sent to: the campaign was paused in between. */
  async function chosen(body: Parameters<typeof launchPush>[1] = {}) {
    const project = await sendingProject();
    const device = await reachable(project, "ada");
    const { id } = await launchPush(project, body);
    await project.api.dispatchCampaignPush({ path: { id } });
    const pause = () => project.api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
    const go = () => project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    await pause();
    return { project, device, id, go };
  }

  it("waits while the campaign is paused, and goes on after", async () => {
    const { project, device, id, go } = await chosen();
    await soon();
    assert.deepEqual(await stateOf(project, id, "slots"), ["waiting", "campaign_paused"]);
    assert.equal((await inspect(project, id)).devices.waiting, 1);
    assert.equal(sentTo(device.token), 0);
    await go();
    await house.drain();
    assert.equal(sentTo(device.token), 1);
  });

  it("waits outside of the window", async () => {
    const from = house.now();
    const { project, id, go } = await chosen({ deliverFrom: from - 1, deliverUntil: from + HOUR_MS });
    await go();
    house.at(from + HOUR_MS);
    await house.drain();
    assert.deepEqual(await stateOf(project, id, "slots"), ["waiting", "window"]);
    await project.api.updateCampaign({ path: { id }, body: { deliverUntil: house.now() + HOUR_MS } });
    await house.drain();
    assert.deepEqual(await stateOf(project, id, "slots"), ["accepted", null]);
  });

  it("is closed once its time is over", async () => {
    const { project, device, id, go } = await chosen({ push: { ...PUSH, ttlSeconds: 60 } });
    house.advance(MINUTE_MS);
    await go();
    await house.drain();
    assert.deepEqual(await stateOf(project, id, "slots"), ["closed", "expired"]);
    assert.deepEqual(await stateOf(project, id, "recipients"), ["closed", "expired"]);
    assert.equal(sentTo(device.token), 0);
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id } });
    assert.equal(deliveries[0]?.state, "failed");
  });

  it("tells the provider until when it is worth showing", async () => {
    const until = house.now() + 10 * MINUTE_MS;
    const { device, go } = await chosen({ deliverUntil: until });
    await go();
    await house.drain();
    assert.equal(
      apns.taken.find(({ token }) => token === device.token)?.expiration,
      Math.floor(until / 1_000),
    );
  });

  it("is closed when somebody else signs in on it", async () => {
    const { project, device, id, go } = await chosen();
    await device.bind("ben");
    await device.say();
    await go();
    await house.drain();
    assert.deepEqual(await stateOf(project, id, "slots"), ["closed", "binding_changed"]);
    assert.equal(sentTo(device.token), 0);
    house.advance(2 * MINUTE_MS);
    await house.drain();
    const pushes = apns.taken.filter(({ token }) => token === device.token);
    assert.deepEqual(
      pushes.map(({ payload }) => payload.tidings.bindingGeneration),
      [2],
      "ben's own, once he is found, and nothing of ada's",
    );
  });

  it("gets what is said now, when the words changed before it was sent", async () => {
    const { project, device, id, go } = await chosen();
    await project.api.updateCampaign({ path: { id }, body: { message: { ...MESSAGE, title: "Corrected" } } });
    await go();
    await house.drain();
    const [push] = apns.taken.filter(({ token }) => token === device.token);
    assert.equal(push?.payload.tidings.content.title, "Corrected");
    const { targets, slots } = await inspect(project, id);
    assert.equal(slots[0]?.generation, 2);
    assert.equal(push?.payload.tidings.targetId, targets[1]?.id);
    assert.notEqual(targets[0]?.campaignFingerprint, targets[1]?.campaignFingerprint);
    assert.equal(targets[0]?.content.title, "Hello there");
  });

  it("is closed when the words changed and it may show the old ones", async () => {
    const project = await sendingProject();
    const device = await reachable(project, "ada");
    apns.behave(({ token }) => (token === device.token ? "drop" : null));
    const { id } = await launchPush(project);
    await house.drain();
    apns.behave(() => null);
    await project.api.updateCampaign({ path: { id }, body: { message: { ...MESSAGE, title: "Other" } } });
    house.advance(HOUR_MS);
    await house.drain();
    assert.deepEqual(await stateOf(project, id, "slots"), ["closed", "edited"]);
    assert.equal(sentTo(device.token), 0);
  });

  for (const [what, push] of [
    ["the selection", { ...PUSH, selection: { kind: "all" as const } }],
    ["the app", { ...PUSH, appId: "com.example.other" }],
  ] as const) {
    it(`is closed when ${what} changed`, async () => {
      const { project, device, id, go } = await chosen();
      const { credential } = apns;
      const way = { platform: "ios" as const, environment: "production" as const, expectedRevision: 0 };
      await project.api.putPushCredential({ body: { appId: "com.example.other", ...way, credential } });
      await project.api.updateCampaign({ path: { id }, body: { push } });
      await go();
      await house.drain();
      assert.deepEqual(await stateOf(project, id, "slots"), ["closed", "edited"]);
      assert.equal(sentTo(device.token), 0);
    });
  }

  it("is closed when a later push takes its place", async () => {
    const push = { ...PUSH, replacementKey: "score" };
    const { project, device, id, go } = await chosen({ push });
    house.advance(SECOND_MS);
    const later = await launchPush(project, { push, message: { ...MESSAGE, title: "2:1" } });
    await house.drain();
    await go();
    await house.drain();
    assert.deepEqual(await stateOf(project, id, "slots"), ["closed", "replaced"]);
    assert.deepEqual(await stateOf(project, later.id, "slots"), ["accepted", null]);
    assert.deepEqual(
      apns.taken.filter(({ token }) => token === device.token).map(({ collapseId }) => collapseId),
      ["score"],
    );
  });

  it("is closed when the campaign ends, and so is who waits", async () => {
    const { project, id } = await chosen();
    await project.sdk.identify({ body: { userId: "ben" } });
    await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
    await house.drain();
    assert.deepEqual(await stateOf(project, id, "slots"), ["closed", "campaign_ended"]);
    const { planning } = await inspect(project, id);
    assert.deepEqual(planning, { waiting: 0, active: 0, closed: 1 });
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id } });
    assert.equal(deliveries[0]?.state, "withdrawn");
    house.advance(DAY_MS);
    await house.drain();
  });

  it("leaves no differences behind", async () => {
    assert.equal(APP, PUSH.appId);
    assert.deepEqual(await house.differences(), {});
  });
});
