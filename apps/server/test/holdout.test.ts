import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { userRef, uuidOf } from "../src/domain/ids.ts";
import { isHeldOut } from "../src/features/deliveries/public.ts";
import { SECOND_MS } from "../src/platform/time/clock.ts";
import { launchEmail, people, progressOf, setSettings } from "./email.ts";
import { launchCampaign, messagesOf } from "./factories.ts";
import type { TestProject } from "./harness.ts";
import { type SmtpPeer, startSmtp } from "./peers/smtp.ts";
import { launchPush, pushHouse, reachable } from "./push.ts";

// With a databaseUrl, two processes that work leave each other's leases alone.
const { house, apns, sendingProject } = await pushHouse({ databaseUrl: "postgres://elsewhere" });
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());
afterEach(async () => assert.deepEqual(await house.differences(), {}));

const USERS = Array.from({ length: 32 }, (_, n) => `user-${n}`);
/** Long enough for every sweep to come round once more. */
const NEXT_SWEEP_MS = 60 * SECOND_MS;

/** A project that can send on every channel, whose users all have an address and a device. */
async function project(settings: Readonly<Record<string, string>> = {}) {
  const made = await sendingProject();
  await setSettings(house, made, {
    "email.from": "Acme News <news@acme.example>",
    "email.postalAddress": "Acme, 1 Main Street, Springfield",
    "email.domainVerified": "true",
    "email.smtpUrl": `smtp://127.0.0.1:${smtp.port}`,
    ...settings,
  });
  await people(made, USERS, `${made.projectId}.example`);
  const userOf = new Map<string, string>();
  for (const user of USERS) userOf.set((await reachable(made, user)).token, user);
  return { made, userOf };
}

const goalOf = async ({ api }: TestProject, holdoutPercent: number): Promise<string> =>
  (await api.createGoal({ body: { name: "Sales", targetEvent: "paid", holdoutPercent } })).goal.id;

const heldOut = ({ projectId }: TestProject, goalId: string, holdoutPercent: number): string[] =>
  USERS.filter((user) =>
    isHeldOut({ goalId: uuidOf("goal", goalId), holdoutPercent }, userRef(projectId, user).userKey),
  );
const without = (out: readonly string[]): string[] => USERS.filter((user) => !out.includes(user)).sort();

/** The users that got mail of a project, each as often as it came. */
const mailed = ({ projectId }: TestProject): string[] =>
  smtp.taken
    .filter(({ to }) => to.endsWith(`@${projectId}.example`))
    .map(({ to }) => to.split("@")[0] ?? "")
    .sort();
/** The users that got a push, each as often as it came. */
const pushed = (userOf: ReadonlyMap<string, string>): string[] =>
  apns.taken.flatMap(({ token }) => userOf.get(token) ?? []).sort();

/** Users whose delivery of a campaign was withheld, and how many rows say so. */
async function withheldOf({ projectId }: TestProject, id: string): Promise<string[]> {
  const { rows } = await house.database.pool.query<{ user_key: string }>(
    "select user_key from withheld_deliveries where campaign_id = $1 and project_id = $2",
    [uuidOf("cmp", id), projectId],
  );
  const names = new Map(USERS.map((user) => [userRef(projectId, user).userKey, user]));
  return rows.map(({ user_key }) => names.get(user_key) ?? "?").sort();
}

describe("a user whom a goal holds out", () => {
  it("gets nothing on any channel, and counts as having had it", async () => {
    const { made, userOf } = await project();
    const goalId = await goalOf(made, 50);
    const out = heldOut(made, goalId, 50).sort();
    assert.ok(out.length > 3 && out.length < 29);
    const mail = await launchEmail(made, { goalId });
    const push = await launchPush(made, { goalId });
    const web = await launchCampaign(made, { goalId });
    for (let round = 0; round < 2; round++) {
      await house.drain();
      house.advance(NEXT_SWEEP_MS);
      await house.drain();
      const seen: string[] = [];
      for (const user of USERS) if ((await messagesOf(made, user)).length > 0) seen.push(user);
      assert.deepEqual(mailed(made), without(out));
      assert.deepEqual(pushed(userOf), without(out));
      assert.deepEqual(seen.sort(), without(out));
      for (const { id } of [mail, push, web]) assert.deepEqual(await withheldOf(made, id), out);
      // A holdout that ends serves those who were held out with what comes, not with what was withheld from them.
      await made.api.updateGoal({ path: { id: goalId }, body: { holdoutPercent: 0 } });
    }
    const progress = await progressOf(made, mail.id);
    assert.deepEqual(
      [progress.planned, progress.accepted],
      [USERS.length - out.length, USERS.length - out.length],
    );
    const next = await launchEmail(made, { goalId, name: "Next" });
    await house.drain();
    assert.deepEqual(await withheldOf(made, next.id), []);
    assert.deepEqual(mailed(made), [...without(out), ...USERS].sort());
    const { holdout } = await made.api.getGoalConversions({ path: { id: goalId } });
    assert.equal(holdout.withheld.pending.exposedUsers, out.length);
    assert.equal(holdout.served.pending.exposedUsers, USERS.length - out.length);
  });

  it("has used nothing of the cap", async () => {
    const { made } = await project({ "email.capMax": "1" });
    const goalId = await goalOf(made, 50);
    const out = heldOut(made, goalId, 50).sort();
    await launchEmail(made, { goalId });
    await house.drain();
    await launchEmail(made, { name: "Without a goal" });
    await house.drain();
    assert.deepEqual(mailed(made), USERS.toSorted(), "each user got one of the two");
    assert.ok(out.length > 0);
  });

  it("gets a test message all the same", async () => {
    const { made, userOf } = await project();
    const goalId = await goalOf(made, 50);
    const [user = ""] = heldOut(made, goalId, 50);
    const mail = await launchEmail(made, { goalId, launch: false });
    const address = `${user}@${made.projectId}.example`;
    await made.api.sendTestEmail({ path: { id: mail.id }, body: { address, userId: user } });
    assert.deepEqual(mailed(made), [user]);
    assert.deepEqual(pushed(userOf), []);
    const push = await launchPush(made, { goalId, launch: false });
    const device = await reachable(made, user);
    userOf.set(device.token, user);
    await made.api.sendPushTest({
      path: { id: push.id },
      body: { installationId: device.installationId, requestId: "look" },
    });
    await house.drain();
    assert.deepEqual(pushed(userOf), [user]);
    for (const { id } of [mail, push]) assert.deepEqual(await withheldOf(made, id), []);
  });

  it("is held out by a larger holdout too, and served by a smaller one", async () => {
    const { made } = await project();
    const goalId = await goalOf(made, 20);
    const small = await launchEmail(made, { goalId, name: "Small" });
    await house.drain();
    await made.api.updateGoal({ path: { id: goalId }, body: { holdoutPercent: 50 } });
    const large = await launchEmail(made, { goalId, name: "Large" });
    await house.drain();
    assert.deepEqual(await withheldOf(made, small.id), heldOut(made, goalId, 20).sort());
    assert.deepEqual(await withheldOf(made, large.id), heldOut(made, goalId, 50).sort());
    for (const user of heldOut(made, goalId, 20)) assert.ok(heldOut(made, goalId, 50).includes(user));
    assert.deepEqual(
      mailed(made),
      [...without(heldOut(made, goalId, 20)), ...without(heldOut(made, goalId, 50))].sort(),
    );
  });

  it("is decided about once, by two processes that plan and answer at the same time", async () => {
    const { made, userOf } = await project();
    const goalId = await goalOf(made, 50);
    const out = heldOut(made, goalId, 50).sort();
    const mail = await launchEmail(made, { goalId });
    const push = await launchPush(made, { goalId });
    const web = await launchCampaign(made, { goalId });
    const second = await house.second();
    const there = await house.elsewhere(made);
    await Promise.all([
      house.drain(),
      second.drain(),
      ...USERS.flatMap((user) => [messagesOf(made, user), messagesOf(there, user)]),
    ]);
    house.advance(NEXT_SWEEP_MS);
    await Promise.all([house.drain(), second.drain()]);
    for (const { id } of [mail, push, web]) assert.deepEqual(await withheldOf(made, id), out);
    assert.deepEqual(mailed(made), without(out));
    assert.deepEqual(pushed(userOf), without(out));
  });
});
