import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { openBrowser, visitedProject } from "../../../test/visitors.ts";
import { DAY_MS } from "../../platform/time/clock.ts";

const house = testHouse();

async function activeOf({ projectId }: TestProject): Promise<number> {
  const { rows } = await house.database.pool.query<{ users: number }>(
    "select coalesce(sum(users), 0)::int4 as users from active_user_counts where project_id = $1",
    [projectId],
  );
  return rows[0]?.users ?? 0;
}

describe("a visitor who signs in", () => {
  it("is the user from then on, with what they did and got, and sees the same message", async () => {
    const project = await visitedProject(house);
    const { goal } = await project.api.createGoal({ body: { name: "Pays", targetEvent: "paid" } });
    const campaign = await launchCampaign(project, {
      visitors: "also",
      goalId: goal.id,
    });
    const browser = openBrowser(project, "b1f0c2");
    await browser.track("looked", "e1");
    const [message] = await browser.messages();
    assert.ok(message);
    await browser.feedback(message.deliveryId, "shown");
    assert.equal(await activeOf(project), 0);
    house.advance(DAY_MS);
    await browser.signIn("ada");
    const { events } = await project.api.listUserEvents({ path: { id: "ada" } });
    assert.deepEqual(
      events.map(({ name }) => name),
      ["looked"],
    );
    const [same] = await messagesOf(project, "ada");
    assert.equal(same?.variantId, message.variantId);
    assert.notEqual(same?.deliveryId, message.deliveryId);
    // What the browser still reports of the visitor is the user's.
    await browser.track("paid", "e2");
    await browser.feedback(message.deliveryId, "clicked");
    const { totals } = await project.api.getCampaignConversions({
      path: { id: campaign.id },
      query: { event: "paid" },
    });
    assert.deepEqual([totals.exposedDeliveries, totals.convertedDeliveries], [1, 1]);
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id: campaign.id } });
    assert.deepEqual(
      deliveries.map(({ externalUserId, state }) => [externalUserId, state]),
      [["ada", "clicked"]],
    );
    assert.equal((await refusal(project.api.getUser({ path: { id: "$anon:b1f0c2" } }))).status, 404);
    assert.deepEqual(await browser.messages(), []);
    assert.deepEqual(await house.differences(), {});
  });

  it("keeps both units where the user has the campaign already, and what the person does counts for both", async () => {
    const project = await visitedProject(house);
    const { goal } = await project.api.createGoal({ body: { name: "Pays", targetEvent: "paid" } });
    const campaign = await launchCampaign(project, {
      visitors: "also",
      goalId: goal.id,
    });
    const browser = openBrowser(project, "b2");
    const [own] = await messagesOf(project, "ada");
    const [theirs] = await browser.messages();
    assert.ok(own && theirs);
    await feedback(project, own.deliveryId, "ada", "shown");
    await browser.feedback(theirs.deliveryId, "shown");
    await browser.signIn("ada");
    await project.sdk.track({ body: { userId: "ada", event: "paid" } });
    const { totals } = await project.api.getCampaignConversions({
      path: { id: campaign.id },
      query: { event: "paid" },
    });
    assert.deepEqual([totals.exposedDeliveries, totals.convertedDeliveries], [2, 2]);
    const { stats } = (await project.api.getCampaign({ path: { id: campaign.id } })).campaign;
    assert.deepEqual([stats.shown, stats.converted], [2, 2]);
    assert.deepEqual(await house.differences(), {});
  });
});

describe("a campaign that a visitor has seen and the user has not", () => {
  it("is the visitor's from then on, and is not shown again where it was dismissed", async () => {
    const project = await visitedProject(house);
    const campaign = await launchCampaign(project, { visitors: "also" });
    const browser = openBrowser(project, "b3");
    const [own] = await messagesOf(project, "ada");
    const [theirs] = await browser.messages();
    assert.ok(own && theirs);
    await browser.feedback(theirs.deliveryId, "shown");
    await browser.feedback(theirs.deliveryId, "dismissed");
    await browser.signIn("ada");
    assert.deepEqual(await messagesOf(project, "ada"), []);
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id: campaign.id } });
    assert.deepEqual(
      deliveries.map(({ externalUserId, state }) => [externalUserId, state]),
      [["ada", "dismissed"]],
    );
    assert.deepEqual(await house.differences(), {});
  });

  it("is closed for the user as well, who has seen it too, once the visitor has dismissed it", async () => {
    const project = await visitedProject(house);
    const campaign = await launchCampaign(project, { visitors: "also" });
    const browser = openBrowser(project, "b4");
    const [own] = await messagesOf(project, "ada");
    const [theirs] = await browser.messages();
    assert.ok(own && theirs);
    await feedback(project, own.deliveryId, "ada", "shown");
    await browser.feedback(theirs.deliveryId, "shown");
    await browser.feedback(theirs.deliveryId, "dismissed");
    await browser.signIn("ada");
    assert.deepEqual(await messagesOf(project, "ada"), []);
    const { stats } = (await project.api.getCampaign({ path: { id: campaign.id } })).campaign;
    assert.deepEqual([stats.shown, stats.dismissed], [2, 2]);
    assert.deepEqual(await house.differences(), {});
  });
});

describe("a goal that has met a visitor and the user whom they become", () => {
  it("counts two units, whatever became of their deliveries, and what the person does for both", async () => {
    const project = await visitedProject(house);
    const { goal } = await project.api.createGoal({
      body: { name: "Pays", targetEvent: "paid", holdoutPercent: 1 },
    });
    const units = async () => {
      const { holdout } = await project.api.getGoalConversions({ path: { id: goal.id } });
      const sides = [holdout.served.pending, holdout.withheld.pending];
      const sumOf = (field: "exposedUsers" | "convertedUsers") =>
        sides.reduce((sum, side) => sum + side[field], 0);
      return [sumOf("exposedUsers"), sumOf("convertedUsers")];
    };
    const first = await launchCampaign(project, { goalId: goal.id });
    await messagesOf(project, "met");
    await messagesOf(project, "unseen");
    await project.api.setCampaignStatus({ path: { id: first.id }, body: { action: "pause" } });
    await launchCampaign(project, { goalId: goal.id, visitors: "also" });
    // One user met another campaign of the goal before, and one has the same campaign and has not seen it.
    await messagesOf(project, "unseen");
    for (const userId of ["met", "unseen"]) {
      const browser = openBrowser(project, `of ${userId}`);
      for (const { deliveryId } of await browser.messages()) await browser.feedback(deliveryId, "shown");
    }
    assert.deepEqual(await units(), [4, 0]);
    for (const userId of ["met", "unseen"]) {
      await openBrowser(project, `of ${userId}`).signIn(userId);
      await project.sdk.track({ body: { userId, event: "paid" } });
    }
    assert.deepEqual(await units(), [4, 4]);
    await project.api.eraseUser({ path: { id: "unseen" } });
    assert.deepEqual(await units(), [4, 4]);
    assert.deepEqual(await house.differences(), {});
  });
});
