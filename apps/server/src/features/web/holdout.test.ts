import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { feedback, launchCampaign, messagesOf, toast } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { untilWaiting } from "../../../test/waiting.ts";
import { deliveryId, FIRST_OCCASION, userRef, uuidOf } from "../../domain/ids.ts";
import { isHeldOut } from "../deliveries/public.ts";
import { insertDeliveries } from "./feed-store.ts";

const house = testHouse();
const USERS = Array.from({ length: 40 }, (_, n) => `user-${n}`);

const goalOf = async ({ api }: TestProject, holdoutPercent: number) =>
  (await api.createGoal({ body: { name: "Sales", targetEvent: "paid", holdoutPercent } })).goal;

const uuid = (id: string): string => uuidOf("cmp", id) ?? "";

/** Users whose delivery of a campaign was withheld, with its epoch. */
async function withheldOf({ projectId }: TestProject, campaignId: string): Promise<Map<string, number>> {
  const { rows } = await house.database.pool.query<{ user_key: string; epoch: number }>(
    "select user_key, epoch from withheld_deliveries where campaign_id = $1",
    [uuid(campaignId)],
  );
  const names = new Map(USERS.map((user) => [userRef(projectId, user).userKey, user]));
  return new Map(rows.map(({ user_key, epoch }) => [names.get(user_key) ?? "?", epoch]));
}

/** Users whom a goal holds out, by the plain rule. */
const heldOut = ({ projectId }: TestProject, goalId: string, holdoutPercent: number): Set<string> =>
  new Set(
    USERS.filter((user) =>
      isHeldOut({ goalId: uuidOf("goal", goalId), holdoutPercent }, userRef(projectId, user).userKey),
    ),
  );

/** Asks for the messages of each user; answers those who got one. */
async function visit(project: TestProject, users: readonly string[] = USERS): Promise<Set<string>> {
  const got = new Set<string>();
  for (const user of users) if ((await messagesOf(project, user)).length > 0) got.add(user);
  return got;
}

describe("a goal with a holdout", () => {
  it("serves the users who are not held out, and withholds from the others, once and for all campaigns alike", async () => {
    const project = await house.project();
    const goal = await goalOf(project, 50);
    const first = await launchCampaign(project, { goalId: goal.id });
    const out = heldOut(project, goal.id, 50);
    assert.ok(out.size > 5 && out.size < 35);
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await visit(project), new Set(USERS.filter((user) => !out.has(user))));
      assert.deepEqual(new Set((await withheldOf(project, first.id)).keys()), out);
    }
    const second = await launchCampaign(project, { goalId: goal.id });
    await visit(project);
    assert.deepEqual(new Set((await withheldOf(project, second.id)).keys()), out);
    const other = await launchCampaign(project);
    await visit(project);
    assert.equal((await withheldOf(project, other.id)).size, 0, "a campaign without a goal serves everyone");
  });

  it("withholds only where a delivery would have been made", async () => {
    const project = await house.project();
    const goal = await goalOf(project, 50);
    const { id } = await launchCampaign(project, {
      goalId: goal.id,
      pages: ["/pricing"],
      targeting: { traits: { plan: "free" } },
    });
    const [, one = "", two = ""] = heldOut(project, goal.id, 50);
    await project.sdk.identify({ body: { userId: two, traits: { plan: "free" } } });
    await messagesOf(project, one, "/pricing");
    await messagesOf(project, two, "/home");
    assert.equal((await withheldOf(project, id)).size, 0, "not the audience, not the page");
    await messagesOf(project, two, "/pricing");
    assert.deepEqual([...(await withheldOf(project, id)).keys()], [two]);
  });

  it("counts withheld deliveries nowhere", async () => {
    const project = await house.project();
    const goal = await goalOf(project, 50);
    const { id } = await launchCampaign(project, { goalId: goal.id });
    const [user = ""] = heldOut(project, goal.id, 50);
    await messagesOf(project, user);
    await project.sdk.track({ body: { userId: user, event: "paid" } });
    const path = { id };
    const { campaign } = await project.api.getCampaign({ path });
    assert.deepEqual([...new Set(Object.values(campaign.stats))], [0]);
    assert.deepEqual((await project.api.listCampaignDeliveries({ path })).deliveries, []);
    assert.deepEqual((await project.api.listUserDeliveries({ path: { id: user } })).deliveries, []);
    const { totals } = await project.api.getCampaignConversions({ path, query: { event: "paid" } });
    assert.deepEqual([...new Set(Object.values(totals))], [0]);
  });

  it("that is made smaller serves new users, and never one whose delivery was withheld", async () => {
    const project = await house.project();
    const goal = await goalOf(project, 50);
    const { id } = await launchCampaign(project, { goalId: goal.id });
    const out = [...heldOut(project, goal.id, 50)];
    const [early, late] = [out.slice(0, 4), out.slice(4)];
    assert.equal((await visit(project, early)).size, 0);
    await project.api.updateGoal({ path: { id: goal.id }, body: { holdoutPercent: 0 } });
    assert.deepEqual(await visit(project, out), new Set(late));
    assert.deepEqual(new Set((await withheldOf(project, id)).keys()), new Set(early));
  });

  it("that is made larger goes on serving deliveries that exist", async () => {
    const project = await house.project();
    const goal = await goalOf(project, 0);
    const { id } = await launchCampaign(project, { goalId: goal.id });
    const early = USERS.slice(0, 20);
    await visit(project, early);
    await project.api.updateGoal({ path: { id: goal.id }, body: { holdoutPercent: 50 } });
    const out = heldOut(project, goal.id, 50);
    assert.deepEqual(
      await visit(project),
      new Set(USERS.filter((user) => early.includes(user) || !out.has(user))),
    );
    const withheld = await withheldOf(project, id);
    assert.deepEqual(new Set(withheld.keys()), new Set([...out].filter((user) => !early.includes(user))));
    assert.deepEqual([...new Set(withheld.values())], [2], "in the epoch that the change opened");
  });

  it("makes one row for a user who asks many times at once", async () => {
    const project = await house.project();
    const goal = await goalOf(project, 50);
    const { id } = await launchCampaign(project, { goalId: goal.id });
    const elsewhere = await house.elsewhere(project);
    await Promise.all(
      USERS.slice(0, 8).flatMap((user) =>
        Array.from({ length: 6 }, (_, n) => messagesOf(n % 2 === 0 ? project : elsewhere, user)),
      ),
    );
    const { rows } = await house.database.pool.query<{ users: number; rows: number }>(
      `select count(distinct user_key)::int as users, count(*)::int as rows from (
        select user_key from deliveries where campaign_id = $1
        union all select user_key from withheld_deliveries where campaign_id = $1
      ) each`,
      [uuid(id)],
    );
    assert.deepEqual(rows, [{ users: 8, rows: 8 }]);
  });

  it("waits with a change of its holdout for decisions that are being written, and finds them then", async () => {
    const project = await house.project();
    const goal = await goalOf(project, 0);
    const { id, variants } = await launchCampaign(project, { goalId: goal.id });
    const [user = ""] = heldOut(project, goal.id, 50);
    const writer = await house.database.background.pool.connect();
    try {
      await writer.query("begin");
      await insertDeliveries(writer, [
        {
          ...userRef(project.projectId, user),
          externalId: user,
          projectId: project.projectId,
          campaignId: uuid(id),
          occasion: FIRST_OCCASION,
          ts: house.now(),
          variantId: uuidOf("var", variants[0]?.id ?? "") ?? "",
          epoch: 1,
          heldOut: false,
        },
      ]);
      const changed = project.api.updateGoal({ path: { id: goal.id }, body: { holdoutPercent: 50 } });
      await untilWaiting(house, 1);
      await writer.query("commit");
      await changed;
    } finally {
      writer.release();
    }
    assert.deepEqual(await visit(project, [user]), new Set([user]));
    assert.equal((await withheldOf(project, id)).size, 0);
  });

  it("takes no feedback on a message that was withheld", async () => {
    const project = await house.project();
    const goal = await goalOf(project, 50);
    const { id } = await launchCampaign(project, { goalId: goal.id });
    const [user = ""] = heldOut(project, goal.id, 50);
    await messagesOf(project, user);
    const delivery = deliveryId({
      ...userRef(project.projectId, user),
      campaignId: uuid(id),
      occasion: FIRST_OCCASION,
    });
    const { status } = await refusal(feedback(project, delivery, user, "shown"));
    assert.equal(status, 404);
  });

  it("keeps the epoch of a decision that was made before the weights changed, and refuses one from before the holdout changed", async () => {
    const project = await house.project();
    const goal = await goalOf(project, 10);
    const { id, variants } = await launchCampaign(project, { goalId: goal.id });
    const [variant] = variants;
    const decided = (externalId: string, epoch: number) => ({
      ...userRef(project.projectId, externalId),
      externalId,
      projectId: project.projectId,
      campaignId: uuid(id),
      occasion: FIRST_OCCASION,
      ts: house.now(),
      variantId: uuidOf("var", variant?.id ?? "") ?? "",
      epoch,
      heldOut: false,
    });
    const { hotPool, pool } = house.database;
    const newVariant = { name: "B", weight: 9, message: toast("B") };
    await project.api.updateCampaign({ path: { id }, body: { variants: [newVariant] } });
    assert.equal((await insertDeliveries(hotPool, [decided("ada", 1)])).length, 1);
    await project.api.updateGoal({ path: { id: goal.id }, body: { holdoutPercent: 20 } });
    assert.deepEqual(await insertDeliveries(hotPool, [decided("bob", 2)]), []);
    assert.equal((await insertDeliveries(hotPool, [decided("cyd", 3)])).length, 1);
    const { rows } = await pool.query<{ epoch: number }>(
      "select epoch from deliveries where campaign_id = $1 order by epoch",
      [uuid(id)],
    );
    assert.deepEqual(rows, [{ epoch: 1 }, { epoch: 3 }]);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
