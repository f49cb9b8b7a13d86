import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";

const house = testHouse();

const statsOf = async ({ api }: TestProject, id: string) =>
  (await api.getCampaign({ path: { id } })).campaign.stats;

const deliveryOf = async ({ api }: TestProject, id: string) =>
  (await api.listCampaignDeliveries({ path: { id } })).deliveries[0];

/** A project with a campaign for a goal, and Anna's delivery of it. */
async function delivered(targetEvent = "paid") {
  const project = await house.project();
  const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent } });
  const { id: campaignId } = await launchCampaign(project, { goalId: goal.id });
  const [message] = await messagesOf(project, "anna");
  assert.ok(message);
  return { project, campaignId, id: message.deliveryId };
}

describe("conversion by a goal's event", () => {
  const paid = { body: { userId: "anna", event: "paid" } };

  it("comes with the event after the message was shown, once, and ends its serving", async () => {
    const { project, campaignId, id } = await delivered();
    await feedback(project, id, "anna", "shown");
    house.advance(1_000);
    await project.sdk.track({ body: { userId: "anna", event: "other" } });
    await project.sdk.track({ body: { userId: "ben", event: "paid" } });
    assert.equal((await statsOf(project, campaignId)).converted, 0);
    await project.sdk.track(paid);
    const convertedAt = house.now();
    house.advance(1_000);
    await project.sdk.track(paid);
    const delivery = await deliveryOf(project, campaignId);
    assert.deepEqual([delivery?.state, delivery?.convertedAt], ["converted", convertedAt]);
    assert.equal((await statsOf(project, campaignId)).converted, 1);
    assert.deepEqual(await messagesOf(project, "anna"), []);
  });

  it("does not come with an event before, even one after the message was fetched", async () => {
    const { project, campaignId, id } = await delivered();
    await project.sdk.track(paid);
    house.advance(1);
    await feedback(project, id, "anna", "shown");
    house.advance(1);
    assert.equal((await deliveryOf(project, campaignId))?.state, "shown");
    assert.equal((await statsOf(project, campaignId)).converted, 0);
    await project.sdk.track(paid);
    assert.equal((await statsOf(project, campaignId)).converted, 1);
  });

  it("does not come for a message that was never shown", async () => {
    const { project, campaignId } = await delivered();
    await project.sdk.track(paid);
    const delivery = await deliveryOf(project, campaignId);
    assert.deepEqual([delivery?.state, delivery?.convertedAt], ["queued", null]);
  });

  it("comes after a click or a dismissal too, and for a campaign that has ended", async () => {
    for (const type of ["clicked", "dismissed"] as const) {
      const { project, campaignId, id } = await delivered();
      await feedback(project, id, "anna", "shown");
      await feedback(project, id, "anna", type);
      await project.api.setCampaignStatus({ path: { id: campaignId }, body: { action: "end" } });
      house.advance(1);
      await project.sdk.track(paid);
      const delivery = await deliveryOf(project, campaignId);
      assert.deepEqual([delivery?.state, delivery?.convertedAt], ["converted", house.now()]);
    }
  });

  it("comes from the link on: not for events before it, not for events after it is cut", async () => {
    const { project, campaignId, id } = await delivered("another");
    const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent: "paid" } });
    const link = (goalId: string | null) =>
      project.api.updateCampaign({ path: { id: campaignId }, body: { goalId } });
    await feedback(project, id, "anna", "shown");
    house.advance(1);
    await project.sdk.track(paid);
    await link(goal.id);
    assert.equal((await statsOf(project, campaignId)).converted, 0);
    await link(null);
    await project.sdk.track(paid);
    assert.equal((await statsOf(project, campaignId)).converted, 0);
    await link(goal.id);
    await project.sdk.track(paid);
    assert.equal((await statsOf(project, campaignId)).converted, 1);
  });

  it("is not counted again with a report of the SDK, nor that with it", async () => {
    for (const order of ["report first", "event first"]) {
      const { project, campaignId, id } = await delivered();
      await feedback(project, id, "anna", "shown");
      const report = () => feedback(project, id, "anna", "converted");
      const event = () => project.sdk.track(paid);
      for (const step of order === "report first" ? [report, event] : [event, report]) {
        await step();
        house.advance(1);
      }
      assert.equal((await statsOf(project, campaignId)).converted, 1, order);
    }
  });

  it("is the same number everywhere when shown and the event race", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent: "paid" } });
    const { id } = await launchCampaign(project, { goalId: goal.id });
    for (let round = 0; round < 3; round++) {
      const users = Array.from({ length: 100 }, (_, i) => `user ${round} ${i}`);
      const messages = await Promise.all(users.map((user) => messagesOf(project, user)));
      const races = users.map(async (userId, i) => {
        const show = () => feedback(project, messages[i]?.[0]?.deliveryId ?? "", userId, "shown");
        const pay = () => project.sdk.track({ body: { userId, event: "paid" } });
        const [first, second] = i % 2 === 0 ? [show, pay] : [pay, show];
        const started = first();
        // Time passes while the requests are in flight, so some events come before exposure and some after.
        house.advance(1);
        await Promise.all([started, second()]);
        house.advance(1);
      });
      await Promise.all(races);
      const stats = await statsOf(project, id);
      const event = { event: "paid" };
      const { totals } = await project.api.getCampaignConversions({ path: { id }, query: event });
      assert.equal(stats.shown, 100 * (round + 1));
      assert.equal(totals.exposedDeliveries, stats.shown);
      assert.equal(stats.converted, totals.convertedDeliveries);
      const { total } = await project.api.listCampaignDeliveries({
        path: { id },
        query: { state: "converted" },
      });
      assert.equal(total, stats.converted);
    }
    assert.deepEqual(await house.differences(), {});
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
