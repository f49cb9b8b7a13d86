import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TestProject } from "../../../../../test/harness.ts";
import { apnsRefuses, startApns } from "../../../../../test/peers/apns.ts";
import { fcmRefuses } from "../../../../../test/peers/fcm.ts";
import type { PeerAnswer } from "../../../../../test/peers/http2-peer.ts";
import {
  launchPush,
  type PushRecords,
  pushHouse,
  putCredential,
  reachable,
  readRecords,
} from "../../../../../test/push.ts";
import { uuidOf } from "../../../../domain/ids.ts";
import { defaultLimits } from "../../../../platform/limits.ts";
import { MINUTE_MS, SECOND_MS } from "../../../../platform/time/clock.ts";

const UNDER_WAY = 8;
const { house, apns, fcm } = await pushHouse({ limits: { ...defaultLimits, pushesUnderWay: UNDER_WAY } });

type Platform = "ios" | "android";
type Device = Awaited<ReturnType<typeof reachable>>;

const devicesOf = (project: TestProject, count: number, platform: Platform = "ios"): Promise<Device[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => reachable(project, `user-${n}`, { platform })));

/** How many of the devices have a token. */
const tokensOf = async (devices: readonly Device[]): Promise<number> =>
  (await Promise.all(devices.map((device) => device.read()))).filter(({ hasToken }) => hasToken).length;

/** Both providers answer so to these devices, and take what is for others. */
function answer(devices: readonly { token: string }[], refusal: PeerAnswer | null): void {
  const theirs = new Set(devices.map(({ token }) => token));
  const behave = ({ token }: { token: string }): PeerAnswer | null => (theirs.has(token) ? refusal : null);
  apns.behave(behave);
  fcm.behave(behave);
}

async function faultOf({ projectId }: TestProject, id: string): Promise<string | null> {
  const row = await house.database.kysely
    .selectFrom("campaignSweeps")
    .select("fault")
    .where("projectId", "=", projectId)
    .where("campaignId", "=", uuidOf("cmp", id) ?? "")
    .executeTakeFirstOrThrow();
  return row.fault;
}

/** How many slots are in each state, with the reason. */
function states({ slots }: PushRecords): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of slots) {
    const name = "reason" in state ? `${state.kind}: ${state.reason}` : state.kind;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** How many pushes a provider answered. */
const answered = ({ outcomes }: PushRecords): number =>
  outcomes.filter(({ result }) => result.kind === "accepted" || result.kind === "rejected").length;

const readings = async (project: TestProject, id: string) => {
  const records = await readRecords(project, id);
  return { states: states(records), answered: answered(records), records };
};

/** Time in which every slot that waits is looked at again. */
async function lookAgain(): Promise<void> {
  house.advance(30 * SECOND_MS);
  await house.drain();
}

const NO_TOKEN = "The registration token is not a valid FCM registration token";

type Case = {
  name: string;
  platform: Platform;
  devices: number;
  code: string;
  /** The credential that is put first, where that itself is wrong. */
  credential?: () => Parameters<typeof putCredential>[1];
  refusal?: PeerAnswer;
};

const CASES: readonly Case[] = [
  {
    name: "the topic of another app",
    platform: "ios",
    devices: 20,
    code: "DeviceTokenNotForTopic",
    credential: () => ({ ...apns.credential, topic: "com.example.other" }),
  },
  {
    name: "the service account of another Firebase project",
    platform: "android",
    devices: 20,
    code: "SENDER_ID_MISMATCH",
    refusal: fcmRefuses(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"),
  },
  {
    name: "a Firebase project that is not there",
    platform: "android",
    devices: 3,
    code: "NOT_FOUND",
    credential: () => ({ ...fcm.credential, projectId: "nowhere" }),
  },
  {
    name: "the key of the other environment of Apple",
    platform: "ios",
    devices: 3,
    code: "BadEnvironmentKeyIdInToken",
    refusal: apnsRefuses(403, "BadEnvironmentKeyIdInToken"),
  },
  {
    name: "the other one of Apple's servers",
    platform: "ios",
    devices: 3,
    code: "BadDeviceToken",
    refusal: apnsRefuses(400, "BadDeviceToken"),
  },
  {
    name: "an FCM that knows none of the tokens",
    platform: "android",
    devices: 3,
    code: "INVALID_ARGUMENT",
    refusal: fcmRefuses(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", { message: NO_TOKEN }),
  },
  {
    name: "an address where something else answers",
    platform: "ios",
    devices: 3,
    code: "404",
    refusal: { status: 404, body: "<html>Not found</html>" },
  },
  {
    name: "a provider that says that all devices are gone",
    platform: "android",
    devices: 3,
    code: "UNREGISTERED",
    refusal: fcmRefuses(404, "NOT_FOUND", "UNREGISTERED"),
  },
];

describe("a credential that was never accepted", () => {
  for (const { name, platform, devices: count, code, credential, refusal = null } of CASES) {
    it(`costs no token for good: ${name}`, async () => {
      const project = await house.project();
      const right = platform === "ios" ? apns.credential : fcm.credential;
      await putCredential(project, credential?.() ?? right);
      const devices = await devicesOf(project, count, platform);
      answer(devices, refusal);
      const { id } = await launchPush(project);
      await house.drain();
      const isGone = code === "UNREGISTERED";
      const waiting = await readings(project, id);
      assert.deepEqual(waiting.states, { [`waiting: ${isGone ? "no_token" : "credential"}`]: count });
      assert.equal(await tokensOf(devices), isGone ? 0 : count);
      assert.ok(waiting.records.slots.every(({ submissionsUsed }) => submissionsUsed === (isGone ? 1 : 0)));
      assert.ok(waiting.records.outcomes.some(({ result }) => "code" in result && result.code === code));
      const fault = await faultOf(project, id);
      if (!isGone)
        assert.ok(fault?.includes(`com.example.app for ${platform}, production: ${code}`), fault ?? "");
      // The provider is requested rarely.
      for (let times = 0; times < 4; times++) {
        house.advance(15 * MINUTE_MS);
        await house.drain();
      }
      const later = await readings(project, id);
      assert.ok(later.answered <= waiting.answered + 4 * Math.min(10, count), String(later.answered));
      assert.equal(await tokensOf(devices), isGone ? 0 : count);

      answer(devices, null);
      await putCredential(project, right, {}, 1);
      assert.equal(await faultOf(project, id), null);
      await lookAgain();
      assert.deepEqual((await readings(project, id)).states, { accepted: count });
      assert.equal(await tokensOf(devices), count);
      assert.equal(await faultOf(project, id), null);
    });
  }

  it("is tried with a few devices, however many there are", async () => {
    const project = await house.project();
    const devices = await devicesOf(project, 70);
    answer(devices, apnsRefuses(403, "InvalidProviderToken"));
    await putCredential(project, apns.credential);
    const { id } = await launchPush(project);
    await house.drain();
    const refused = await readings(project, id);
    assert.deepEqual(refused.states, { "waiting: credential": 70 });
    assert.ok(refused.answered <= UNDER_WAY, String(refused.answered));
    await lookAgain();
    const probed = (await readings(project, id)).answered - refused.answered;
    assert.ok(probed > 0 && probed <= 10, String(probed));

    const other = await house.project();
    const suspicious = await devicesOf(other, 70);
    await putCredential(other, { ...apns.credential, topic: "com.example.other" });
    const { id: second } = await launchPush(other);
    await house.drain();
    const suspected = await readings(other, second);
    assert.deepEqual(suspected.states, { "waiting: credential": 70 });
    assert.ok(suspected.answered <= 20 + UNDER_WAY, String(suspected.answered));
    await putCredential(other, apns.credential, {}, 1);
    await lookAgain();
    assert.deepEqual((await readings(other, second)).states, { accepted: suspicious.length });
    // What the first project waits for mends itself at the provider: a probe finds out.
    answer(devices, null);
    house.advance(2 * MINUTE_MS);
    await house.drain();
    await lookAgain();
    assert.deepEqual((await readings(project, id)).states, { accepted: 70 });
    assert.equal(await faultOf(project, id), null);
  });

  it("is tried out by a test, whatever waits for it", async () => {
    const project = await house.project();
    const devices = await devicesOf(project, 2);
    answer(devices, apnsRefuses(403, "InvalidProviderToken"));
    await putCredential(project, apns.credential);
    const { id } = await launchPush(project);
    await house.drain();
    assert.deepEqual((await readings(project, id)).states, { "waiting: credential": 2 });
    answer(devices, null);
    const installationId = devices[0]?.installationId ?? "";
    await project.api.sendPushTest({ path: { id }, body: { installationId, requestId: "try" } });
    await house.drain();
    const path = { id, requestId: "try" };
    const [outcome] = (await project.api.getPushTest({ path })).outcomes;
    assert.equal(outcome?.result.kind, "accepted");
    assert.equal(await faultOf(project, id), null);
    await lookAgain();
    assert.deepEqual((await readings(project, id)).states, { accepted: 2 });
  });
});

describe("a credential that works", () => {
  /** A project whose devices were all reached once. */
  async function proven(count: number) {
    const project = await house.project();
    await putCredential(project, apns.credential);
    const devices = await devicesOf(project, count);
    answer([], null);
    const { id } = await launchPush(project);
    await house.drain();
    assert.deepEqual((await readings(project, id)).states, { accepted: count });
    return { project, devices };
  }

  it("ends the token of the one device that is gone, and reaches the others", async () => {
    for (const refusal of [apnsRefuses(400, "BadDeviceToken"), apnsRefuses(410, "Unregistered")]) {
      const { project, devices } = await proven(4);
      answer(devices.slice(0, 1), refusal);
      const { id } = await launchPush(project);
      await house.drain();
      assert.deepEqual((await readings(project, id)).states, { "waiting: no_token": 1, accepted: 3 });
      assert.equal(await tokensOf(devices), 3);
      assert.equal(await faultOf(project, id), null);
    }
  });

  it("ends a token that was suspected before the first acceptance, once that is there", async () => {
    const project = await house.project();
    await putCredential(project, apns.credential);
    const [dead] = await devicesOf(project, 1);
    assert.ok(dead);
    answer([dead], apnsRefuses(400, "BadDeviceToken"));
    const { id } = await launchPush(project);
    await house.drain();
    assert.deepEqual((await readings(project, id)).states, { "waiting: credential": 1 });
    const alive = await reachable(project, "another");
    await lookAgain();
    assert.equal((await alive.read()).hasToken, true);
    await lookAgain();
    await lookAgain();
    assert.deepEqual((await readings(project, id)).states, { "waiting: no_token": 1, accepted: 1 });
    assert.equal(await tokensOf([dead]), 0);
    assert.equal(await faultOf(project, id), null);
  });

  it("leaves a device alone whose token is of another app, until it has another token, and holds nobody up", async () => {
    const { project, devices } = await proven(3);
    const [stray] = devices;
    assert.ok(stray);
    answer([stray], apnsRefuses(400, "DeviceTokenNotForTopic"));
    const { id } = await launchPush(project);
    await house.drain();
    for (let times = 0; times < 3; times++) await lookAgain();
    const waiting = await readings(project, id);
    assert.deepEqual(waiting.states, { "waiting: credential": 1, accepted: 2 });
    assert.equal(waiting.answered, 3);
    assert.deepEqual([await tokensOf(devices), await faultOf(project, id)], [3, null]);
    await stray.put("beef0077");
    await lookAgain();
    assert.deepEqual((await readings(project, id)).states, { accepted: 3 });
  });

  it("and is replaced by a wrong one costs no token", async () => {
    const { project, devices } = await proven(4);
    await putCredential(project, { ...apns.credential, topic: "com.example.other" }, {}, 1);
    const { id } = await launchPush(project);
    await house.drain();
    assert.deepEqual((await readings(project, id)).states, { "waiting: credential": 4 });
    assert.equal(await tokensOf(devices), 4);
    await putCredential(project, apns.credential, {}, 2);
    await lookAgain();
    assert.deepEqual((await readings(project, id)).states, { accepted: 4 });
  });

  it("proves nothing about another address of the provider", async () => {
    const { project, devices } = await proven(2);
    const { config } = house.tidings.app;
    const elsewhere = await startApns({
      clock: () => house.now(),
      credential: apns.credential,
      behaviour: () => apnsRefuses(400, "BadDeviceToken"),
    });
    try {
      config.apnsUrl = elsewhere.url;
      const { id } = await launchPush(project);
      await house.drain();
      assert.equal(elsewhere.requests.length, 2);
      assert.deepEqual((await readings(project, id)).states, { "waiting: credential": 2 });
      assert.equal(await tokensOf(devices), 2);
    } finally {
      config.apnsUrl = apns.url;
      await elsewhere.close();
    }
  });
});

it("leaves no differences behind", async () => {
  assert.deepEqual(await house.differences(), {});
});
