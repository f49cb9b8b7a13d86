import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusal } from "../../../../../test/harness.ts";
import { apnsRefuses } from "../../../../../test/peers/apns.ts";
import {
  type Inspection,
  inspect,
  launchPush,
  MESSAGE,
  PUSH,
  pushHouse,
  reachable,
  stateOf,
} from "../../../../../test/push.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../platform/time/clock.ts";

const { house, apns, sendingProject } = await pushHouse();
const COLLECTIONS = [
  "targets",
  "attempts",
  "outcomes",
  "observations",
  "conversions",
  "recipients",
  "slots",
] as (keyof Inspection["records"])[];

/** Asserts that the totals equal the records. */
function assertAddsUp(found: Inspection): void {
  const { slots, outcomes, attempts, targets, recipients, devices, users, planning, records } = found;
  const slotsIn = (kind: string): number => slots.filter(({ state }) => state.kind === kind).length;
  const submitted = (kind: string): number => outcomes.filter(({ submission }) => submission === kind).length;
  const kinds = (kind: string): number => recipients.filter(({ state }) => state.kind === kind).length;
  assert.deepEqual(devices, {
    targeted: slots.length,
    attempts: attempts.length,
    accepted: slotsIn("accepted"),
    receiptObserved: 0,
    receiptUnknown: slots.filter(({ id, state }) => {
      const possible = outcomes.some(({ slotId, submission }) => slotId === id && submission === "possible");
      return state.kind === "accepted" || possible;
    }).length,
    confirmedSubmissions: submitted("confirmed"),
    possibleSubmissions: submitted("possible"),
    preSendBlocks: outcomes.filter(({ result }) => result.kind === "blocked").length,
    pendingOutcomes: attempts.length - outcomes.length,
    waiting: slotsIn("waiting"),
  });
  assert.equal(users.targeted, new Set(slots.map(({ userId }) => userId)).size);
  assert.deepEqual(planning, { waiting: kinds("waiting"), active: kinds("active"), closed: kinds("closed") });
  assert.deepEqual(
    COLLECTIONS.map((name) => records[name]),
    COLLECTIONS.map((name) => found[name].length),
  );
  for (const { id, slotId, targetId } of attempts) {
    assert.ok(
      slots.some((slot) => slot.id === slotId) && targets.some((target) => target.id === targetId),
      id,
    );
  }
}

describe("an inspection", () => {
  it("adds up, whatever happened", async () => {
    const project = await sendingProject();
    const devices = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        reachable(project, `user-${n}`, { platform: n % 3 ? "ios" : "android" }),
      ),
    );
    await project.sdk.identify({ body: { userId: "nobody" } });
    const mood = [
      null,
      "drop",
      apnsRefuses(500, "InternalServerError"),
      apnsRefuses(410, "Unregistered"),
    ] as const;
    const known = new Map(devices.map(({ token }, n) => [token, n]));
    apns.behave(({ token }) => mood[((known.get(token) ?? 0) + apns.requests.length) % mood.length] ?? null);
    const { id } = await launchPush(project, { push: { ...PUSH, selection: { kind: "all" } } });
    assertAddsUp(await project.api.dispatchCampaignPush({ path: { id } }));
    for (let minutes = 0; minutes < 20; minutes += 2) {
      await house.drain();
      assertAddsUp(await inspect(project, id));
      house.advance(2 * MINUTE_MS);
    }
    apns.behave(() => null);
    const found = await inspect(project, id);
    assert.equal((await project.api.getCampaign({ path: { id } })).campaign.stats.sent, found.users.accepted);
  });

  it("is read page by page, each collection by itself, in the order of ids", async () => {
    const project = await sendingProject();
    await Promise.all(Array.from({ length: 7 }, (_, n) => reachable(project, `user-${n}`)));
    const { id } = await launchPush(project);
    await house.drain();
    const all = await inspect(project, id);
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => project.api.getCampaignPush({ path: { id }, query: { page, perPage: 2 } })),
    );
    for (const name of COLLECTIONS) {
      const paged = pages.flatMap((page) => page[name].map((record) => record.id));
      assert.deepEqual(
        paged,
        all[name].map((record) => record.id),
        name,
      );
      assert.deepEqual(paged, paged.toSorted(), name);
    }
    assert.deepEqual(pages[0]?.pageCounts, {
      targets: 4,
      attempts: 4,
      outcomes: 4,
      observations: 0,
      conversions: 0,
      recipients: 4,
      slots: 4,
    });
    assert.deepEqual(pages[3]?.devices, all.devices);
    const [first] = (await project.api.getCampaignPush({ path: { id } })).targets;
    assert.equal(first?.campaignId, id);
    const beyond = await project.api.getCampaignPush({ path: { id }, query: { page: 9 } });
    assert.deepEqual([beyond.targets, beyond.perPage, beyond.page], [[], 25, 9]);
    for (const query of [{ page: 0 }, { perPage: 101 }, { perPage: 0 }])
      assert.equal((await refusal(project.api.getCampaignPush({ path: { id }, query }))).status, 400);
  });

  it("names everything of a record by the ids of the others", async () => {
    const project = await sendingProject();
    await reachable(project, "ada", { installationId: "phone" });
    const { id } = await launchPush(project, { push: { ...PUSH, replacementKey: "news" } });
    await house.drain();
    const { targets, attempts, outcomes, recipients, slots } = await inspect(project, id);
    const [target, attempt, outcome, recipient, slot] = [
      targets[0],
      attempts[0],
      outcomes[0],
      recipients[0],
      slots[0],
    ];
    assert.ok(target && attempt && outcome && recipient && slot);
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id } });
    assert.deepEqual(
      [
        target.deliveryId,
        recipient.deliveryId,
        target.externalId,
        recipient.externalId,
        target.installationId,
      ],
      [deliveries[0]?.id, deliveries[0]?.id, "ada", "ada", "phone"],
    );
    assert.deepEqual(
      [target.slotId, attempt.slotId, outcome.slotId, slot.recipientId, slot.targetId],
      [slot.id, slot.id, slot.id, recipient.id, target.id],
    );
    assert.deepEqual(
      [attempt.targetId, outcome.targetId, outcome.attemptId],
      [target.id, target.id, attempt.id],
    );
    assert.deepEqual(slot.state, { kind: "accepted", acceptanceId: outcome.id });
    assert.equal(outcome.result.providerId, apns.taken.at(-1)?.id);
    assert.equal(target.replacementKey, "news");
    const { credentials } = await project.api.listPushCredentials({});
    assert.ok(credentials.some((credential) => credential.id === target.credentialId));
    const envelope = apns.taken.at(-1)?.payload.tidings;
    assert.deepEqual([envelope?.targetId, envelope?.attemptId], [target.id, attempt.id]);
    assert.deepEqual(envelope?.content, target.content);
  });

  it("is for push campaigns of this project, read with its secret key", async () => {
    const project = await sendingProject();
    const other = await sendingProject();
    const { id } = await launchPush(project);
    const { campaign: web } = await project.api.createCampaign({
      body: { name: "Web", message: { presentation: "toast", title: "Hi" } },
    });
    const path = { id };
    for (const call of [
      () => other.api.getCampaignPush({ path }),
      () => other.api.dispatchCampaignPush({ path }),
      () => other.api.sendPushTest({ path, body: { installationId: "a", requestId: "b" } }),
      () => other.api.getPushTest({ path: { id, requestId: "b" } }),
    ])
      assert.equal((await refusal(call())).status, 404);
    assert.equal((await refusal(project.api.getCampaignPush({ path: { id: web.id } }))).status, 409);
    assert.equal((await refusal(project.agent.getCampaignPush({ path }))).status, 403);
  });
});

describe("dispatchCampaignPush", () => {
  it("plans what is there now, and may be repeated", async () => {
    const project = await sendingProject();
    const { id } = await launchPush(project, { deliverFrom: house.now() });
    const empty = await project.api.dispatchCampaignPush({ path: { id } });
    assert.deepEqual(empty.records.recipients, 0);
    await reachable(project, "ada");
    const planned = await project.api.dispatchCampaignPush({ path: { id } });
    assert.deepEqual([planned.records.targets, planned.records.attempts, planned.perPage], [1, 0, 100]);
    assert.deepEqual(await stateOf(project, id, "slots"), ["ready", null]);
    const [again, andAgain] = await Promise.all([
      project.api.dispatchCampaignPush({ path: { id } }),
      project.api.dispatchCampaignPush({ path: { id } }),
    ]);
    assert.deepEqual([again.records, andAgain.records], [planned.records, planned.records]);
  });

  it("plans nothing of what does not run", async () => {
    const project = await sendingProject();
    await reachable(project, "ada");
    const { id } = await launchPush(project, { launch: false });
    assert.equal((await refusal(project.api.dispatchCampaignPush({ path: { id } }))).status, 409);
    const later = await launchPush(project, { deliverFrom: house.now() + HOUR_MS });
    assert.equal((await project.api.dispatchCampaignPush({ path: { id: later.id } })).records.recipients, 0);
    const paused = await launchPush(project);
    await project.api.setCampaignStatus({ path: { id: paused.id }, body: { action: "pause" } });
    assert.equal((await project.api.dispatchCampaignPush({ path: { id: paused.id } })).records.recipients, 0);
    await project.api.setCampaignStatus({ path: { id: paused.id }, body: { action: "end" } });
    assert.equal((await refusal(project.api.dispatchCampaignPush({ path: { id: paused.id } }))).status, 409);
  });
});

describe("sendPushTest", () => {
  it("sends a draft to one device, once, and counts nothing", async () => {
    const project = await sendingProject();
    const device = await reachable(project, "ada");
    const { id } = await launchPush(project, { launch: false });
    const body = { installationId: device.installationId, requestId: "look" };
    const { targetIds } = await project.api.sendPushTest({ path: { id }, body });
    assert.equal(targetIds.length, 1);
    await house.drain();
    const pushes = apns.taken.filter(({ token }) => token === device.token);
    assert.deepEqual(
      pushes.map(({ payload }) => [payload.tidings.test, payload.tidings.targetId]),
      [[true, targetIds[0]]],
    );
    const read = await project.api.getPushTest({ path: { id, requestId: "look" } });
    assert.deepEqual([read.installationId, read.targetIds], [device.installationId, targetIds]);
    assert.deepEqual(
      read.outcomes.map(({ result, submission }) => [result.kind, submission]),
      [["accepted", "confirmed"]],
    );
    assert.equal(read.attempts[0]?.id, pushes[0]?.payload.tidings.attemptId);
    const found = await inspect(project, id);
    assert.equal(found.testTargets, 1);
    assert.deepEqual(found.records, {
      targets: 0,
      attempts: 0,
      outcomes: 0,
      observations: 0,
      conversions: 0,
      recipients: 0,
      slots: 0,
    });
    assert.equal((await project.api.getCampaign({ path: { id } })).campaign.stats.sent, 0);
    assert.deepEqual((await project.api.listCampaignDeliveries({ path: { id } })).deliveries, []);
    assert.deepEqual(await project.api.sendPushTest({ path: { id }, body }), { targetIds });
    await house.drain();
    assert.equal(apns.taken.filter(({ token }) => token === device.token).length, 1);
    const elsewhere = { ...body, installationId: (await reachable(project, "ben")).installationId };
    assert.equal((await refusal(project.api.sendPushTest({ path: { id }, body: elsewhere }))).status, 409);
  });

  it("is submitted once at most, whatever is answered", async () => {
    const project = await sendingProject();
    const { id } = await launchPush(project, { launch: false });
    for (const [n, answer] of (
      ["drop", apnsRefuses(500, "InternalServerError"), apnsRefuses(403, "ExpiredProviderToken")] as const
    ).entries()) {
      const device = await reachable(project, `user-${n}`);
      apns.behave(({ token }) => (token === device.token ? answer : null));
      await project.api.sendPushTest({
        path: { id },
        body: { installationId: device.installationId, requestId: `try-${n}` },
      });
      for (let minutes = 0; minutes < 60; minutes += 10) {
        await house.drain();
        house.advance(10 * MINUTE_MS);
      }
      assert.equal(apns.requests.filter(({ token }) => token === device.token).length, 1);
    }
    apns.behave(() => null);
  });

  it("is refused, and forgotten, while the device cannot be sent to", async () => {
    const project = await sendingProject();
    const device = await reachable(project, "ada", { token: null });
    const { id } = await launchPush(project, { launch: false });
    const path = { id };
    const body = { installationId: device.installationId, requestId: "later" };
    const refused = await refusal(project.api.sendPushTest({ path, body }));
    assert.deepEqual([refused.status, (refused.body as { reason: string }).reason], [409, "no_token"]);
    const reading = () => project.api.getPushTest({ path: { id, requestId: "later" } });
    assert.equal((await refusal(reading())).status, 404);
    await device.put("c0ffee");
    assert.equal((await project.api.sendPushTest({ path, body })).targetIds.length, 1);
    assert.equal((await reading()).attempts.length, 0);
    const nowhere = { installationId: "nowhere", requestId: "x" };
    assert.equal((await refusal(project.api.sendPushTest({ path, body: nowhere }))).status, 404);
    await device.bind(null);
    const unbound = { installationId: device.installationId, requestId: "y" };
    assert.equal((await refusal(project.api.sendPushTest({ path, body: unbound }))).status, 409);
  });

  it("of those who ask at the same moment under one name, one makes the test", async () => {
    const project = await sendingProject();
    const there = await house.elsewhere(project);
    const device = await reachable(project, "ada");
    const { id } = await launchPush(project, { launch: false });
    const body = { installationId: device.installationId, requestId: "twice" };
    const answers = await Promise.all(
      [project, there, project, there].map(({ api }) => api.sendPushTest({ path: { id }, body })),
    );
    assert.equal(new Set(answers.map(({ targetIds }) => targetIds.join())).size, 1);
    await house.drain();
    assert.equal(apns.taken.filter(({ token }) => token === device.token).length, 1);
  });

  it("leaves the campaign itself free to reach the same device", async () => {
    const project = await sendingProject();
    const device = await reachable(project, "ada");
    const { id } = await launchPush(project, { message: { ...MESSAGE, title: "Both" } });
    await project.api.sendPushTest({
      path: { id },
      body: { installationId: device.installationId, requestId: "first" },
    });
    await house.drain();
    assert.equal(apns.taken.filter(({ token }) => token === device.token).length, 2);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
