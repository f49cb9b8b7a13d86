import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusal } from "../../../../test/harness.ts";
import {
  ACTION,
  BOUGHT,
  BUY,
  becameOf,
  NOTHING,
  observerOf,
  observingStage,
  RECEIPT,
  TAP,
} from "../../../../test/observing.ts";
import { inspect, launchPush, putCredential, reachable } from "../../../../test/push.ts";

const { apns, house, pushTo, scene } = await observingStage();

describe("what a device reports", () => {
  it("is kept, and makes its delivery delivered, opened, clicked and converted", async () => {
    const at = await scene();
    const { project, campaignId, observer, push, device } = at;
    assert.deepEqual(await becameOf(at), NOTHING);
    assert.deepEqual(await observer.tell(RECEIPT), { acknowledgedThrough: 1 });
    assert.deepEqual(await becameOf(at), { ...NOTHING, delivered: 1 });
    house.advance(1_000);
    const tappedAt = house.now();
    await observer.tell(TAP);
    assert.deepEqual(await becameOf(at), { ...NOTHING, delivered: 1, opened: 1, clicked: 1 });
    house.advance(1_000);
    assert.deepEqual(await observer.tell(BUY), { acknowledgedThrough: 3 });
    assert.deepEqual(await becameOf(at), { sent: 1, delivered: 1, opened: 1, clicked: 1, converted: 1 });

    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id: campaignId } });
    const [delivery] = deliveries;
    assert.equal(delivery?.state, "converted");
    assert.deepEqual(
      [delivery?.deliveredAt, delivery?.openedAt, delivery?.clickedAt, delivery?.convertedAt],
      [tappedAt - 1_000, tappedAt, tappedAt, tappedAt + 1_000],
    );
    const found = await inspect(project, campaignId);
    assert.deepEqual(found.users, { targeted: 1, accepted: 1, engaged: 1, converted: 1 });
    assert.deepEqual([found.devices.receiptObserved, found.devices.receiptUnknown], [1, 0]);
    assert.deepEqual([found.records.observations, found.records.conversions], [2, 1]);
    const [receipt, tap] = found.observations.toSorted((a, b) => a.sequence - b.sequence);
    assert.deepEqual(receipt?.command, {
      id: "command-1-1",
      sequence: 1,
      kind: "receipt",
      targetId: push.targetId,
      attemptId: push.attemptId,
    });
    assert.deepEqual(
      [receipt?.installationId, receipt?.slotId, receipt?.bindingGeneration],
      [device.installationId, found.slots[0]?.id, 1],
    );
    const [conversion] = found.conversions;
    assert.ok(receipt && tap && conversion && receipt.order < tap.order && tap.order < conversion.order);
    assert.equal(conversion.deliveryId, delivery?.id);
    assert.equal(conversion.convertedAt, tappedAt + 1_000);
    assert.match(conversion.eventId, /^event-/);
    const { events } = await project.api.listEvents({ query: { name: BOUGHT } });
    assert.equal(events.length, 1);
  });

  it("counts by exposure in conversions from the first receipt on, for any event", async () => {
    const { project, campaignId, observer } = await scene();
    await observer.tell({ kind: "event", event: "looked" }, RECEIPT);
    const question = { path: { id: campaignId }, query: { event: "looked" } };
    const before = await project.api.getCampaignConversions(question);
    assert.deepEqual([before.exposure, before.totals.exposedUsers], ["deliveredAt", 1]);
    house.advance(1);
    await observer.tell({ kind: "event", event: "looked" });
    assert.equal((await project.api.getCampaignConversions(question)).totals.convertedUsers, 1);
  });

  it("is clicked and not opened by an action alone, and arrived by whatever is told of it first", async () => {
    const at = await scene();
    await at.observer.tell(ACTION);
    assert.deepEqual(await becameOf(at), { ...NOTHING, delivered: 1, clicked: 1 });
    await at.observer.tell(RECEIPT, TAP, ACTION);
    assert.deepEqual(await becameOf(at), { ...NOTHING, delivered: 1, opened: 1, clicked: 1 });
    const { devices, users } = await inspect(at.project, at.campaignId);
    assert.deepEqual([devices.receiptObserved, users.engaged], [1, 1]);
  });

  it("proves that a push left of which the provider never said so", async () => {
    const project = await house.project();
    await putCredential(project, apns.credential);
    const device = await reachable(project, "ada");
    apns.behave(({ token }) => (token === device.token ? "reset" : null));
    const { id: campaignId } = await launchPush(project);
    await house.drain();
    apns.behave(() => null);
    const before = await inspect(project, campaignId);
    assert.deepEqual([before.devices.accepted, before.devices.receiptUnknown], [0, 1]);
    assert.equal((await becameOf({ project, campaignId })).sent, 0);
    const push = apns.requests.find(({ token }) => token === device.token)?.payload.tidings;
    assert.ok(push);
    const active = async (): Promise<unknown> => {
      const counted =
        "select coalesce(sum(users), 0)::int as users from active_user_counts where project_id = $1";
      return (await house.database.pool.query(counted, [project.projectId])).rows[0]?.users;
    };
    const { tell } = observerOf(project, device, push);
    await tell(RECEIPT);
    assert.equal(await active(), 0);
    const { devices } = await inspect(project, campaignId);
    assert.deepEqual([devices.receiptObserved, devices.receiptUnknown], [1, 0]);
    assert.deepEqual(await becameOf({ project, campaignId }), { ...NOTHING, delivered: 1 });
    house.advance(60_000);
    await house.drain();
    assert.deepEqual(await becameOf({ project, campaignId }), { ...NOTHING, delivered: 1 });
  });

  it("of a test is kept, and counts nowhere", async () => {
    const { project, campaignId, device } = await scene();
    const path = { id: campaignId };
    await project.api.sendPushTest({
      path,
      body: { installationId: device.installationId, requestId: "try" },
    });
    await house.drain();
    const push = pushTo(device.token);
    assert.equal(push.test, true);
    await observerOf(project, device, push).tell(RECEIPT, TAP, BUY);
    assert.deepEqual(await becameOf({ project, campaignId }), NOTHING);
    const { records, users, devices } = await inspect(project, campaignId);
    assert.deepEqual([records.observations, records.conversions, users.engaged], [0, 0, 0]);
    assert.equal(devices.receiptObserved, 0);
    const kept = await house.database.pool.query(
      "select kind from push_observations where is_test and project_id = $1 order by sequence",
      [project.projectId],
    );
    assert.deepEqual(
      kept.rows.map(({ kind }) => kind),
      ["receipt", "tap"],
    );
  });
});

describe("an event that a device reports", () => {
  it("is the user's like any other: an eventId stands for one of them", async () => {
    const { project, observer } = await scene();
    const props = { cents: 100, lines: { b: 1, a: [1, 2] } };
    await project.sdk.track({ body: { userId: "ada", event: BOUGHT, eventId: "order-1", props } });
    const same = { cents: 100, lines: { a: [1, 2], b: 1 } };
    await observer.tell({ kind: "event", event: BOUGHT, eventId: "order-1", props: same });
    const other = observer.next({ kind: "event", event: BOUGHT, eventId: "order-1", props: { cents: 101 } });
    const refused = await refusal(observer.send([other]));
    assert.deepEqual(
      [refused.status, refused.error],
      [409, "commands[0].eventId was used for another event of this user"],
    );
    const { events } = await project.api.listEvents({ query: { name: BOUGHT } });
    assert.equal(events.length, 1);
    const again = { kind: "event", event: "twice", eventId: "order-2" } as const;
    const fresh = observerOf(project, await reachable(project, "ben"));
    await fresh.tell(again, again);
    assert.equal((await project.api.listEvents({ query: { name: "twice" } })).events.length, 1);
    const conflicting = [again, { ...again, props: { a: 1 } }].map((command) => fresh.next(command));
    assert.match((await refusal(fresh.send(conflicting))).error, /^commands\[1\]\.eventId was used/);
    assert.equal(
      (await refusal(project.sdk.track({ body: { userId: "ada", event: "else", eventId: "order-1" } })))
        .status,
      409,
    );
  });

  it("counts its user as active once, and makes a count that the doctor agrees with", async () => {
    const project = await house.project();
    const device = await reachable(project, "ada");
    await observerOf(project, device).tell({ kind: "event", event: "x" }, { kind: "event", event: "x" });
    const { rows } = await house.database.pool.query(
      "select sum(users)::int as users from active_user_counts where project_id = $1",
      [project.projectId],
    );
    assert.deepEqual(rows, [{ users: 1 }]);
    const { user } = await project.api.getUser({ path: { id: "ada" } });
    assert.equal(user.lastSeenAt, house.now());
  });
});

describe("erasing a user", () => {
  it("keeps what counts of what their device reported", async () => {
    const at = await scene();
    await at.observer.tell(RECEIPT, TAP, BUY);
    const before = await becameOf(at);
    await at.project.api.eraseUser({ path: { id: "ada" } });
    assert.deepEqual(await becameOf(at), before);
    const { users, devices, observations } = await inspect(at.project, at.campaignId);
    assert.deepEqual([users.engaged, users.converted, devices.receiptObserved], [1, 1, 1]);
    assert.ok(observations.every(({ installationId }) => installationId !== at.device.installationId));
    // Reports name targets and attempts that exist, by their new ids.
    const { targets, attempts } = await at.project.api.getCampaignPush({ path: { id: at.campaignId } });
    for (const { command } of observations) {
      if (command.kind === "event") continue;
      assert.ok(targets.some(({ id }) => id === command.targetId));
      assert.ok(attempts.some(({ id }) => id === command.attemptId));
    }
    assert.equal((await refusal(at.observer.tell(RECEIPT))).status, 404);
  });

  it("and hearing of them at the same moment leaves one or the other", async () => {
    const scenes = await Promise.all(Array.from({ length: 5 }, () => scene()));
    await Promise.all(
      scenes.flatMap(({ project, observer }) => [
        observer.tell(RECEIPT, TAP, BUY).catch(({ status }: { status: number }) => assert.equal(status, 404)),
        project.api.eraseUser({ path: { id: "ada" } }),
      ]),
    );
  });
});

describe("feedback of a web message", () => {
  it("is nothing that a push takes", async () => {
    const at = await scene();
    const { deliveries } = await at.project.api.listCampaignDeliveries({ path: { id: at.campaignId } });
    const path = { id: deliveries[0]?.id ?? "" };
    const refused = await refusal(at.project.sdk.sendDeliveryFeedback({ path, body: { type: "shown" } }));
    assert.deepEqual([refused.status, refused.error], [404, "Delivery not found"]);
  });
});

it("leaves no differences behind", async () => {
  assert.deepEqual(await house.differences(), {});
});
