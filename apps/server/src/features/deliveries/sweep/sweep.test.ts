import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { days, expression, trait } from "../../../../test/audience/trees.ts";
import { launchEmail, people, setSettings } from "../../../../test/email.ts";
import type { TestProject } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { launchPush, pushHouse, reachable } from "../../../../test/push.ts";
import { untilWaiting } from "../../../../test/waiting.ts";
import { uuidOf } from "../../../domain/ids.ts";

const { house, sendingProject } = await pushHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const ofPlan = (plan: string) => ({ targeting: { traits: { plan } } });

const PLANS = { ada: "free", ben: "pro" } as const;

/** A project whose users ada and ben have an address, and a plan of their own each. */
async function mailingProject(): Promise<TestProject> {
  const made = await house.project();
  await setSettings(house, made, {
    "email.from": "Acme News <news@acme.example>",
    "email.postalAddress": "Acme, 1 Main Street, Springfield",
    "email.domainVerified": "true",
    "email.smtpUrl": `smtp://127.0.0.1:${smtp.port}`,
  });
  await people(made, Object.keys(PLANS), `${made.projectId}.example`);
  for (const [userId, plan] of Object.entries(PLANS))
    await made.api.identify({ body: { userId, traits: { plan } } });
  return made;
}

/** The same with devices, which may be given later. */
async function pushingProject(): Promise<TestProject & { equip(): Promise<void> }> {
  const made = await sendingProject();
  for (const [userId, plan] of Object.entries(PLANS))
    await made.sdk.identify({ body: { userId, traits: { plan } } });
  const equip = async () => {
    for (const user of Object.keys(PLANS)) await reachable(made, user);
  };
  return { ...made, equip };
}

const servedBy = async ({ api }: TestProject, id: string): Promise<string[]> =>
  (await api.listCampaignDeliveries({ path: { id } })).deliveries
    .map(({ externalUserId }) => externalUserId)
    .sort();

/**
 * Makes the sweeps of two campaigns due, and runs the loops. While the first one waits, which is found together with the second, it
 * does something.
 */
async function whileFirstWaits(
  first: { id: string },
  second: { id: string },
  act: () => Promise<unknown>,
): Promise<void> {
  const { pool } = house.database.background;
  for (const [place, { id }] of [first, second].entries())
    await pool.query(
      `update campaign_sweeps set next_sweep_at = $2, reevaluate_at = case when reevaluate_at is not null then $2::int8 end
      where campaign_id = $1`,
      [uuidOf("cmp", id), place],
    );
  const holder = await pool.connect();
  try {
    await holder.query("begin");
    await holder.query("select from campaigns where id = $1 for update", [uuidOf("cmp", first.id)]);
    const drained = house.drain();
    await untilWaiting(house, 1);
    await act();
    await holder.query("commit");
    await drained;
  } finally {
    holder.release();
  }
}

describe("a running campaign about an instant ahead", () => {
  it("mails each user once, when the instant comes into reach, though nothing else happens", async () => {
    const made = await mailingProject();
    const DAY = 86_400_000;
    const begin = house.now();
    const endOfTrial = (userId: string, at: number) =>
      made.api.identify({ body: { userId, traits: { trial_ends: new Date(at).toISOString() } } });
    await endOfTrial("ada", begin + 4 * DAY);
    await endOfTrial("ben", begin + 6 * DAY);
    const { id } = await launchEmail(made, {
      audience: { kind: "expression", expression: expression(trait("trial_ends", "within_next", days(3))) },
    });
    const domain = `@${made.projectId}.example`;
    const mailed = () =>
      smtp.taken.flatMap(({ to }) => (to.endsWith(domain) ? [to.replace(domain, "")] : [])).sort();
    for (const [day, users] of [
      [0, []],
      [1, ["ada"]],
      [2, ["ada"]],
      [3, ["ada", "ben"]],
      [7, ["ada", "ben"]],
    ] as const) {
      house.at(begin + day * DAY);
      await house.drain();
      assert.deepEqual(await servedBy(made, id), users, `on day ${day}`);
      assert.deepEqual(mailed(), users, `on day ${day}`);
    }
    // A trial that is made longer ends once more: the user had the reminder already.
    await endOfTrial("ada", house.now() + DAY);
    house.advance(60_000);
    await house.drain();
    assert.deepEqual(mailed(), ["ada", "ben"]);
  });
});

describe("a sweep in several turns", () => {
  it("rests for twenty times as long as all of them worked, and counts anew after it", async () => {
    const made = await mailingProject();
    const { id } = await launchEmail(made);
    await house.drain();
    const { pool } = house.database.background;
    const WORKED_MS = 600_000;
    const given = [uuidOf("cmp", id), house.now(), WORKED_MS];
    // As if it had come past the first lane, in turns that took ten minutes.
    await pool.query(
      `update campaign_sweeps set after_lane = 1, after_user = gen_random_uuid(), worked_ms = $3, next_sweep_at = $2
      where campaign_id = $1`,
      given,
    );
    await house.drain();
    const { rows } = await pool.query<{ rest_ms: number; worked_ms: number }>(
      "select rest_ms, worked_ms from campaign_sweeps where campaign_id = $1",
      given.slice(0, 1),
    );
    const [sweep] = rows;
    assert.ok(sweep && sweep.rest_ms >= 20 * WORKED_MS, JSON.stringify(sweep));
    assert.equal(sweep.worked_ms, 0);
  });
});

describe("a sweep that begins after another one, which took long", () => {
  const channels = [
    ["email", launchEmail, mailingProject],
    [
      "push",
      launchPush,
      async () => {
        const made = await pushingProject();
        await made.equip();
        return made;
      },
    ],
  ] as const;
  for (const [channel, launch, begin] of channels)
    it(`finds the users of the audience of now: ${channel}`, async () => {
      const made = await begin();
      const first = await launch(made, ofPlan("none"));
      const second = await launch(made, ofPlan("none"));
      await house.drain();
      const retarget = (id: string, plan: string) =>
        made.api.updateCampaign({ path: { id }, body: ofPlan(plan) });
      for (const { id } of [first, second]) await retarget(id, "free");
      await whileFirstWaits(first, second, () => retarget(second.id, "pro"));
      assert.deepEqual([await servedBy(made, first.id), await servedBy(made, second.id)], [["ada"], ["ben"]]);
    });

  it("re-evaluates those who wait and are in the audience of now", async () => {
    const made = await pushingProject();
    const first = await launchPush(made, ofPlan("free"));
    const second = await launchPush(made);
    await house.drain();
    await made.equip();
    await whileFirstWaits(first, second, () =>
      made.api.updateCampaign({ path: { id: second.id }, body: ofPlan("pro") }),
    );
    assert.deepEqual([await servedBy(made, first.id), await servedBy(made, second.id)], [["ada"], ["ben"]]);
  });

  it("leaves no differences behind", async () => assert.deepEqual(await house.differences(), {}));
});
