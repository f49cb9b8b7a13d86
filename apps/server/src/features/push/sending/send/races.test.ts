import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "@tidings/client";
import type { TestProject } from "../../../../../test/harness.ts";
import {
  inspect,
  launchPush,
  MESSAGE,
  PUSH,
  pushHouse,
  putCredential,
  reachable,
  readRecords,
  stateOf,
} from "../../../../../test/push.ts";
import { untilWaiting } from "../../../../../test/waiting.ts";
import { deliveryRef, userRef, uuidOf } from "../../../../domain/ids.ts";
import type { Connection } from "../../../../platform/db/db.ts";
import { processes } from "../../../../platform/loops/processes.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import { newUuid } from "../../../../platform/uuid.ts";
import { afterReply } from "../rules.ts";
import { recordEndings } from "./endings.ts";
import { leaseSlots } from "./lease.ts";
import { lockDueSlots, moveSlots } from "./lease-store.ts";
import { recordOutcome, slotOutcome } from "./outcomes.ts";

const { house, apns, sendingProject } = await pushHouse();

const sentTo = (token: string): number => apns.requests.filter((push) => push.token === token).length;

/** Reserves the due slots of a campaign, as another process would. */
async function lease({ projectId }: TestProject, id: string, leaseOwner = newUuid(house.now())) {
  const { app } = house.tidings;
  const terms = { projectId, leaseOwner, backOffUntil: () => 0 };
  const { leased } = await leaseSlots(app, terms, { campaignId: uuidOf("cmp", id) ?? "", tests: false });
  return { leaseOwner, leased };
}

describe("several who plan and send at once", () => {
  it("choose every device once and send to it once", async () => {
    const project = await sendingProject();
    const there = await house.elsewhere(project);
    const devices = await Promise.all(Array.from({ length: 60 }, (_, n) => reachable(project, `user-${n}`)));
    const { id } = await launchPush(project);
    await Promise.all([
      ...[project, there, project, there].map(({ api }) => api.dispatchCampaignPush({ path: { id } })),
      house.drain(),
      house.drain(),
    ]);
    await house.drain();
    const { slots, outcomes } = await readRecords(project, id);
    assert.deepEqual([slots.length, outcomes.length], [60, 60]);
    assert.deepEqual(new Set(devices.map(({ token }) => sentTo(token))), new Set([1]));
  });

  it("never lease the same slot", async () => {
    const project = await sendingProject();
    await Promise.all(Array.from({ length: 30 }, (_, n) => reachable(project, `user-${n}`)));
    const { id } = await launchPush(project);
    await project.api.dispatchCampaignPush({ path: { id } });
    const leases = await Promise.all(Array.from({ length: 6 }, () => lease(project, id)));
    const keys = leases.flatMap(({ leased }) => leased.map(({ slot }) => slot.slotKey));
    assert.deepEqual([keys.length, new Set(keys).size], [30, 30]);
    await house.drain();
  });
});

describe("an outcome that comes too late", () => {
  it("is not written once its reservation was given up", async () => {
    const project = await sendingProject();
    const device = await reachable(project, "ada");
    const { id } = await launchPush(project);
    await project.api.dispatchCampaignPush({ path: { id } });
    const { leaseOwner, leased } = await lease(project, id);
    const [push] = leased;
    assert.ok(push);
    // The drain reaps the reservations of a process that is gone.
    await house.drain();
    assert.deepEqual(await stateOf(project, id, "slots"), ["waiting", "retry_backoff"]);
    const { slot, state, captured, ordinal, generation, projectId } = push;
    const { slotKey } = slot;
    const reply = { kind: "accepted" as const, providerId: "late" };
    const step = afterReply(state, reply, { now: house.now(), chance: 0, captured, isProven: true });
    const attempted = { ...deliveryRef({ ...slot, projectId }), slotKey, ordinal, generation, leaseOwner };
    const { app } = house.tidings;
    assert.equal(await recordOutcome(app, slotOutcome(attempted, reply, step, house.now(), null)), false);
    assert.deepEqual(await stateOf(project, id, "slots"), ["waiting", "retry_backoff"]);
    house.advance(30 * SECOND_MS);
    await house.drain();
    const { slots } = await inspect(project, id);
    assert.deepEqual(
      [slots[0]?.state.kind, slots[0]?.uncertain, sentTo(device.token)],
      ["accepted", true, 1],
    );
  });

  it("ends no token that was put since", async () => {
    const project = await sendingProject();
    const device = await reachable(project, "ada");
    apns.behave(({ token }) => {
      if (token !== device.token) return null;
      return { status: 410, body: JSON.stringify({ reason: "Unregistered", timestamp: house.now() }) };
    });
    const { id } = await launchPush(project);
    await project.api.dispatchCampaignPush({ path: { id } });
    const { leaseOwner, leased } = await lease(project, id);
    const [push] = leased;
    assert.ok(push);
    await device.put("feed01");
    const { slot, state, captured, ordinal, generation, projectId } = push;
    const { slotKey, installationLane, installationKey } = slot;
    const reply = { kind: "rejected", code: "Unregistered", class: "token_invalid" } as const;
    const step = afterReply(state, reply, { now: house.now(), chance: 0, captured, isProven: true });
    const attempted = { ...deliveryRef({ ...slot, projectId }), slotKey, ordinal, generation, leaseOwner };
    const installation = { lane: installationLane, installationKey, ...captured };
    const { app } = house.tidings;
    assert.equal(
      await recordOutcome(app, slotOutcome(attempted, reply, step, house.now(), installation)),
      true,
    );
    assert.equal((await device.read()).hasToken, true);
    house.advance(30 * SECOND_MS);
    await house.drain();
    assert.equal(sentTo("feed01"), 1);
    apns.behave(() => null);
  });

  const since: [string, (project: TestProject) => Promise<unknown>][] = [
    ["its credential was replaced", (project) => putCredential(project, apns.credential, {}, 1)],
    [
      "another push was accepted",
      async (project) => {
        house.advance(SECOND_MS);
        await launchPush(project);
        await house.drain();
      },
    ],
  ];
  for (const [name, happens] of since)
    it(`ends no token under which ${name}`, async () => {
      const project = await house.project();
      await putCredential(project, apns.credential);
      const device = await reachable(project, "ada");
      const { id } = await launchPush(project);
      await project.api.dispatchCampaignPush({ path: { id } });
      const { leaseOwner, leased } = await lease(project, id, house.tidings.app.get(processes).leaseOwner());
      const [push] = leased;
      assert.ok(push);
      const answeredAt = house.now();
      await happens(project);
      const { slot, state, captured, ordinal, generation, projectId } = push;
      const { slotKey, installationLane, installationKey } = slot;
      const reply = { kind: "rejected", code: "Unregistered", class: "token_invalid" } as const;
      const step = afterReply(state, reply, { now: answeredAt, chance: 0, captured, isProven: true });
      const attempted = { ...deliveryRef({ ...slot, projectId }), slotKey, ordinal, generation, leaseOwner };
      const outcome = slotOutcome(attempted, reply, step, answeredAt, {
        lane: installationLane,
        installationKey,
        ...captured,
      });
      assert.equal(await recordOutcome(house.tidings.app, outcome), true);
      assert.equal((await device.read()).hasToken, true);
    });
});

describe("what changes between plan and lease", () => {
  it("is honoured: a pause, an end, a consent that was withdrawn", async () => {
    for (const change of ["pause", "end", "withdraw"] as const) {
      const project = await sendingProject();
      const device = await reachable(project, "ada");
      const { id } = await launchPush(project);
      await project.api.dispatchCampaignPush({ path: { id } });
      if (change === "withdraw") await device.say({ consent: false });
      else await project.api.setCampaignStatus({ path: { id }, body: { action: change } });
      await house.drain();
      assert.equal(sentTo(device.token), 0, change);
    }
  });

  it("a credential that is put captures targets that were not sent anew", async () => {
    const project = await sendingProject();
    await reachable(project, "ada");
    const { id } = await launchPush(project);
    await project.api.dispatchCampaignPush({ path: { id } });
    await putCredential(project, apns.credential, {}, 1);
    await house.drain();
    const { targets } = await inspect(project, id);
    assert.deepEqual(
      targets.map(({ generation, credentialRevision }) => [generation, credentialRevision]),
      [
        [1, 1],
        [2, 2],
      ],
    );
  });
});

describe("the last two devices of a user", () => {
  it("make the delivery fail when they end at the same moment", async () => {
    const project = await sendingProject();
    for (let n = 0; n < 2; n++) await reachable(project, "ada");
    const push = { ...PUSH, selection: { kind: "all" as const }, ttlSeconds: 60 };
    const { id } = await launchPush(project, { push });
    await project.api.dispatchCampaignPush({ path: { id } });
    house.advance(61 * SECOND_MS);
    const now = house.now();
    const due = {
      projectId: project.projectId,
      campaignId: uuidOf("cmp", id) ?? "",
      tests: false,
      now,
    };
    const { hotPool } = house.database;
    const connections = [await hotPool.connect(), await hotPool.connect()] as const;
    /** Closes one of the slots, as a lease does that finds it expired; the transaction stays open. */
    const closeOne = async (client: Connection) => {
      await client.query("begin");
      const [slot, ...others] = await lockDueSlots(client, due, 1);
      assert.ok(slot && others.length === 0);
      const { lane, userKey, slotKey, generation } = slot;
      const move = {
        lane,
        userKey,
        slotKey,
        generation,
        now,
        projectId: due.projectId,
        campaignId: due.campaignId,
        ...({ state: "closed", reason: "expired", at: now, leaseOwner: null } as const),
        postponedBy: null,
        repairKind: null,
        repairRevision: null,
        repairFingerprint: null,
        definitionId: null,
        credentialId: null,
        credentialRevision: null,
        tokenRevision: null,
        targetExpiresAt: null,
        content: null,
      };
      await moveSlots(client, [move]);
      return [{ ...move, occasion: slot.occasion, event: "failed" as const }];
    };
    try {
      const [one, two] = connections;
      const [first, second] = [await closeOne(one), await closeOne(two)];
      await recordEndings(one, first);
      const looking = recordEndings(two, second);
      await Promise.race([looking, untilWaiting(house, 1)]);
      await one.query("commit");
      await looking;
      await two.query("commit");
    } finally {
      for (const each of connections) each.release();
    }
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id } });
    assert.deepEqual(
      deliveries.map(({ state }) => state),
      ["failed"],
    );
  });
});

describe("a campaign that ends while it is planned", () => {
  it("leaves no device open", async () => {
    const project = await sendingProject();
    const device = await reachable(project, "ada");
    const { id } = await launchPush(project);
    const { lane, userKey } = userRef(project.projectId, "ada");
    const holder = await house.database.pool.connect();
    const requests: Promise<unknown>[] = [];
    try {
      await holder.query("begin");
      await holder.query("select from users where lane = $1 and user_key = $2 for update", [lane, userKey]);
      requests.push(project.api.dispatchCampaignPush({ path: { id } }));
      await untilWaiting(house, 1);
      const ending = project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
      requests.push(ending);
      const isEnded = await Promise.race([ending.then(() => true), untilWaiting(house, 2).then(() => false)]);
      // All that was open is closed, and stays closed.
      if (isEnded) await house.drain();
      await holder.query("commit");
    } finally {
      holder.release();
    }
    await Promise.all(requests);
    await house.drain();
    const { slots } = await inspect(project, id);
    assert.deepEqual(
      slots.filter(({ state }) => state.kind !== "closed"),
      [],
    );
    assert.equal(sentTo(device.token), 0);
  });
});

describe("a user who is erased", () => {
  const tables = [
    "push_recipients",
    "push_slots",
    "push_targets",
    "push_attempts",
    "push_outcomes",
    "push_tests",
  ];

  it("leaves the numbers, and nothing that tells who it was", async () => {
    const project = await sendingProject();
    const ada = await reachable(project, "ada");
    await project.sdk.identify({ body: { userId: "ada", traits: { name: "Ada Lovelace" } } });
    await reachable(project, "ben");
    const { id } = await launchPush(project);
    await house.drain();
    const body = { installationId: ada.installationId, requestId: "look" };
    await project.api.sendPushTest({ path: { id }, body });
    await house.drain();
    const before = await inspect(project, id);
    await project.api.eraseUser({ path: { id: "ada" } });
    const after = await inspect(project, id);
    for (const part of ["users", "devices", "planning", "records"] as const)
      assert.deepEqual(after[part], before[part], part);
    assert.equal(after.testTargets, 0);
    const text = JSON.stringify(after);
    for (const secret of ["Ada Lovelace", '"ada"', ada.installationId, ada.token]) {
      assert.ok(JSON.stringify(before).includes(secret) || secret === ada.token, secret);
      assert.ok(!text.includes(secret), secret);
    }
    const { userKey } = userRef(project.projectId, "ada");
    for (const table of tables) {
      const { rows } = await house.database.pool.query(`select from ${table} where user_key = $1`, [userKey]);
      assert.equal(rows.length, 0, table);
    }
    assert.equal((await project.api.getCampaign({ path: { id } })).campaign.stats.sent, 2);
  });

  it("is sent nothing that was under way, and what was reserved comes to its end", async () => {
    const project = await sendingProject();
    const ada = await reachable(project, "ada");
    const { id } = await launchPush(project);
    await project.api.dispatchCampaignPush({ path: { id } });
    await project.api.eraseUser({ path: { id: "ada" } });
    await house.drain();
    assert.equal(sentTo(ada.token), 0);
    assert.deepEqual(await stateOf(project, id, "slots"), ["closed", "binding_changed"]);
    const other = await reachable(project, "ben");
    const second = await launchPush(project, { message: { ...MESSAGE, title: "Second" } });
    await project.api.dispatchCampaignPush({ path: { id: second.id } });
    await lease(project, second.id);
    await project.api.eraseUser({ path: { id: "ben" } });
    for (let turn = 0; turn < 3; turn++) {
      await house.drain();
      house.advance(60 * SECOND_MS);
    }
    assert.equal(sentTo(other.token), 0);
    assert.deepEqual(await stateOf(project, second.id, "slots"), ["closed", "binding_changed"]);
  });

  it("may be erased while being sent to", async () => {
    const project = await sendingProject();
    const users = Array.from({ length: 20 }, (_, n) => `user-${n}`);
    await Promise.all(users.map((userId) => reachable(project, userId)));
    const { id } = await launchPush(project);
    const again = createClient(house.url, project.secretKey);
    await Promise.all([
      house.drain(),
      ...users.slice(0, 10).map((userId) => again.eraseUser({ path: { id: userId } })),
    ]);
    house.advance(30 * SECOND_MS);
    await house.drain();
    const { users: counted } = await inspect(project, id);
    assert.equal((await project.api.getCampaign({ path: { id } })).campaign.stats.sent, counted.accepted);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
