import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TestProject } from "../../../../../test/harness.ts";
import { apnsRefuses, startApns } from "../../../../../test/peers/apns.ts";
import { fcmRefuses } from "../../../../../test/peers/fcm.ts";
import type { PeerAnswer } from "../../../../../test/peers/http2-peer.ts";
import {
  inspect,
  launchPush,
  MESSAGE,
  pushHouse,
  putCredential,
  reachable,
} from "../../../../../test/push.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../../platform/time/clock.ts";

const { house, apns, fcm, sendingProject } = await pushHouse();

/** A project with one device, and the answers of its provider in turn; the last one is repeated. */
async function answering(platform: "ios" | "android", ...answers: (PeerAnswer | null)[]) {
  const project = await house.project();
  const peer = platform === "ios" ? apns : fcm;
  await putCredential(project, peer.credential);
  const device = await reachable(project, "ada", { platform });
  const queue = [...answers];
  const behave = ({ token }: { token: string }): PeerAnswer | null =>
    token === device.token ? ((queue.length > 1 ? queue.shift() : queue[0]) ?? null) : null;
  apns.behave(behave);
  fcm.behave(behave);
  const { id } = await launchPush(project);
  const requests = () => peer.requests.filter(({ token }) => token === device.token).length;
  return { project, device, id, requests };
}

const slotOf = async (project: TestProject, id: string) => {
  const [slot] = (await inspect(project, id)).slots;
  assert.ok(slot);
  return slot;
};

const outcomesOf = async (project: TestProject, id: string) =>
  (await inspect(project, id)).outcomes.map(({ submission, result: { kind, code } }) => [
    kind,
    submission,
    code,
  ]);

/** Lets hours pass, and the loops do all that is due meanwhile. */
async function patiently(hours = 2): Promise<void> {
  for (let minutes = 0; minutes < hours * 60; minutes += 10) {
    await house.drain();
    house.advance(10 * MINUTE_MS);
  }
  await house.drain();
}

type Case = {
  name: string;
  platform: "ios" | "android";
  answer: PeerAnswer;
  kind: string;
  submission: string;
  code: string;
  /** Why the slot waits, or why it ended. */
  reason: string;
  used: number;
};

const CASES: readonly Case[] = [
  {
    name: "a token that is none, from an Apple that has accepted nothing yet, may be the credential's fault",
    platform: "ios",
    answer: apnsRefuses(400, "BadDeviceToken"),
    kind: "rejected",
    submission: "none",
    code: "BadDeviceToken",
    reason: "credential",
    used: 0,
  },
  {
    name: "an app that was removed loses its token",
    platform: "ios",
    answer: apnsRefuses(410, "Unregistered", { timestamp: Date.UTC(2026, 0, 15) }),
    kind: "rejected",
    submission: "confirmed",
    code: "Unregistered",
    reason: "no_token",
    used: 1,
  },
  {
    name: "FCM's word for it means the same",
    platform: "android",
    answer: fcmRefuses(404, "NOT_FOUND", "UNREGISTERED"),
    kind: "rejected",
    submission: "confirmed",
    code: "UNREGISTERED",
    reason: "no_token",
    used: 1,
  },
  {
    name: "a refused credential waits for another one, and costs nothing",
    platform: "ios",
    answer: apnsRefuses(403, "InvalidProviderToken"),
    kind: "rejected",
    submission: "none",
    code: "InvalidProviderToken",
    reason: "credential",
    used: 0,
  },
  {
    name: "a payload that is refused waits for another one",
    platform: "ios",
    answer: apnsRefuses(413, "PayloadTooLarge"),
    kind: "rejected",
    submission: "confirmed",
    code: "PayloadTooLarge",
    reason: "campaign_not_ready",
    used: 1,
  },
  {
    name: "too many at once waits",
    platform: "ios",
    answer: apnsRefuses(429, "TooManyRequests"),
    kind: "rejected",
    submission: "confirmed",
    code: "TooManyRequests",
    reason: "retry_backoff",
    used: 1,
  },
  {
    name: "a fault of Apple's waits",
    platform: "ios",
    answer: apnsRefuses(500, "InternalServerError"),
    kind: "rejected",
    submission: "confirmed",
    code: "InternalServerError",
    reason: "retry_backoff",
    used: 1,
  },
  {
    name: "a fault of Google's waits",
    platform: "android",
    answer: fcmRefuses(503, "UNAVAILABLE", "UNAVAILABLE"),
    kind: "rejected",
    submission: "confirmed",
    code: "UNAVAILABLE",
    reason: "retry_backoff",
    used: 1,
  },
  {
    name: "a connection that is lost after the request is unknown",
    platform: "ios",
    answer: "drop",
    kind: "unknown",
    submission: "possible",
    code: "connection_lost",
    reason: "retry_backoff",
    used: 1,
  },
  {
    name: "a stream that is reset is unknown",
    platform: "ios",
    answer: "reset",
    kind: "unknown",
    submission: "possible",
    code: "connection_lost",
    reason: "retry_backoff",
    used: 1,
  },
  {
    name: "a stream that was refused never left",
    platform: "ios",
    answer: "refuse",
    kind: "blocked",
    submission: "none",
    code: "connection_lost",
    reason: "retry_backoff",
    used: 0,
  },
];

describe("what a provider answers", () => {
  for (const { name, platform, answer, kind, submission, code, reason, used } of CASES) {
    it(name, async () => {
      const { project, id, device } = await answering(platform, answer);
      await house.drain();
      assert.deepEqual((await outcomesOf(project, id))[0]?.slice(0, 2), [kind, submission]);
      assert.equal((await outcomesOf(project, id))[0]?.[2], code);
      const slot = await slotOf(project, id);
      assert.deepEqual([slot.state.kind, "reason" in slot.state && slot.state.reason], ["waiting", reason]);
      assert.equal(slot.submissionsUsed, used);
      assert.equal(slot.uncertain, submission === "possible");
      assert.equal((await device.read()).hasToken, reason !== "no_token");
    });
  }

  it("accepts after trouble, and is never sent again", async () => {
    const { project, id, requests } = await answering(
      "ios",
      apnsRefuses(500, "InternalServerError"),
      "drop",
      null,
    );
    await patiently();
    assert.equal(requests(), 3);
    assert.deepEqual(
      (await outcomesOf(project, id)).map(([kind]) => kind),
      ["rejected", "unknown", "accepted"],
    );
    const slot = await slotOf(project, id);
    assert.equal(slot.state.kind, "accepted");
    assert.deepEqual([slot.submissionsUsed, slot.uncertain], [3, true]);
    await patiently();
    assert.equal(requests(), 3);
  });

  it("submits three times at most, and says what is left open", async () => {
    const spent = await answering("ios", apnsRefuses(500, "InternalServerError"));
    await patiently();
    assert.equal(spent.requests(), 3);
    const closed = await slotOf(spent.project, spent.id);
    assert.deepEqual(closed.state, { kind: "closed", reason: "submissions_spent" });
    const [delivery] = (await spent.project.api.listCampaignDeliveries({ path: { id: spent.id } }))
      .deliveries;
    assert.equal(delivery?.state, "failed");
    const unsure = await answering("ios", "drop");
    await patiently();
    assert.equal(unsure.requests(), 3);
    const uncertain = await slotOf(unsure.project, unsure.id);
    assert.deepEqual(uncertain.state, { kind: "closed", reason: "uncertain" });
    const { devices } = await inspect(unsure.project, unsure.id);
    assert.deepEqual([devices.possibleSubmissions, devices.receiptUnknown, devices.accepted], [3, 1, 0]);
  });

  it("waits as long as the provider asks, and the time never falls", async () => {
    const { project, id, requests } = await answering(
      "ios",
      apnsRefuses(429, "TooManyRequests", { retryAfter: "3600" }),
      null,
    );
    await house.drain();
    const notBefore = house.now() + HOUR_MS;
    let last = 0;
    for (let minutes = 0; minutes < 59; minutes += 10) {
      const { submissionNotBefore, state } = await slotOf(project, id);
      assert.ok(submissionNotBefore >= last && submissionNotBefore >= notBefore);
      assert.ok(state.kind === "waiting" && state.recheckAt - house.now() <= 30 * SECOND_MS);
      last = submissionNotBefore;
      house.advance(10 * MINUTE_MS - 60_000);
      await house.drain();
    }
    assert.equal(requests(), 1);
    house.at(notBefore + MINUTE_MS);
    await house.drain();
    assert.equal(requests(), 2);
    assert.equal((await slotOf(project, id)).state.kind, "accepted");
  });

  it("asks for fresh access once for each revision of a credential, then waits", async () => {
    const { project, id, requests } = await answering("ios", apnsRefuses(403, "ExpiredProviderToken"));
    await house.drain();
    assert.equal(requests(), 2);
    const slot = await slotOf(project, id);
    assert.deepEqual(
      [slot.authRefreshRevision, slot.submissionsUsed, slot.repair],
      [1, 0, { kind: "credential", credentialRevision: 1 }],
    );
    await patiently(1);
    // Requests come less and less often, without more fresh access.
    const before = requests();
    assert.ok(before > 2 && before < 9, String(before));
    apns.behave(() => null);
    await putCredential(project, apns.credential, {}, 1);
    house.advance(30 * SECOND_MS);
    await house.drain();
    assert.equal(requests(), before + 1);
    const mended = await slotOf(project, id);
    assert.deepEqual([mended.state.kind, mended.repair, mended.generation], ["accepted", null, 2]);
    const { targets } = await inspect(project, id);
    assert.equal(targets[1]?.replacesTargetId, targets[0]?.id);
    assert.deepEqual(
      targets.map(({ credentialRevision }) => credentialRevision),
      [1, 2],
    );
  });

  it("sends a payload that was refused again once the words have changed", async () => {
    const { project, id, requests } = await answering("ios", apnsRefuses(413, "PayloadTooLarge"), null);
    await patiently(1);
    assert.equal(requests(), 1);
    const message = {
      title: "Shorter",
      body: "Yes.",
      destination: { kind: "app" as const, url: "example://x" },
    };
    await project.api.updateCampaign({ path: { id }, body: { message } });
    house.advance(30 * SECOND_MS);
    await house.drain();
    assert.equal(requests(), 2);
    assert.equal((await slotOf(project, id)).state.kind, "accepted");
  });

  it("tries a push that is larger than its provider takes once, and waits for other words", async () => {
    for (const platform of ["ios", "android"] as const) {
      const project = await sendingProject();
      await reachable(project, "ada", { platform });
      const text = "x".repeat(1_024);
      const message = { ...MESSAGE, data: { a: text, b: text, c: text, d: text } };
      const { id } = await launchPush(project, { message });
      await patiently(3);
      const slot = await slotOf(project, id);
      assert.deepEqual(
        [slot.state.kind, "reason" in slot.state ? slot.state.reason : null, slot.sequence],
        ["waiting", "campaign_not_ready", 1],
        platform,
      );
      await project.api.updateCampaign({ path: { id }, body: { message: MESSAGE } });
      house.advance(30 * SECOND_MS);
      await house.drain();
      assert.equal((await slotOf(project, id)).state.kind, "accepted", platform);
    }
  });

  it("goes on with the token that the device puts next", async () => {
    const { project, id, device } = await answering("ios", apnsRefuses(410, "Unregistered"));
    await house.drain();
    await device.put("beef0001");
    house.advance(30 * SECOND_MS);
    await house.drain();
    assert.equal(apns.taken.filter(({ token }) => token === "beef0001").length, 1);
    const slot = await slotOf(project, id);
    assert.deepEqual([slot.state.kind, slot.generation, slot.submissionsUsed], ["accepted", 2, 2]);
  });

  it("leaves a provider alone that cannot be reached, and costs no submission", async () => {
    const project = await house.project();
    const away = await startApns();
    await away.close();
    await putCredential(project, apns.credential);
    const gone = testHouseUrl(away.url);
    try {
      await reachable(project, "ada");
      const { id } = await launchPush(project);
      await patiently(1);
      const slot = await slotOf(project, id);
      assert.deepEqual([slot.state.kind, slot.submissionsUsed], ["waiting", 0]);
      const { devices } = await inspect(project, id);
      assert.ok(devices.preSendBlocks > 0 && devices.preSendBlocks < 15, String(devices.preSendBlocks));
      assert.equal(devices.attempts, devices.preSendBlocks);
    } finally {
      gone.back();
    }
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

/** Points this server at another APNs. Clients are kept by credential, so this takes a credential that was not used yet. */
function testHouseUrl(url: string): { back(): void } {
  const { config } = house.tidings.app;
  const before = config.apnsUrl;
  config.apnsUrl = url;
  return {
    back() {
      config.apnsUrl = before;
    },
  };
}
