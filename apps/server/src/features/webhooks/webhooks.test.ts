import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { testHouse } from "../../../test/harness.ts";
import { openReceiver } from "../../../test/webhooks.ts";

const house = testHouse({ webhooksPrivate: true });

describe("a webhook", () => {
  it("gets what becomes of a message, in the order in which it does", async () => {
    const project = await house.project();
    const { url, received } = await openReceiver();
    await project.api.createWebhook({
      body: { url, types: ["*", "delivery.shown", "delivery.clicked", "delivery.converted"] },
    });
    const { goal } = await project.api.createGoal({ body: { name: "Buy", targetEvent: "bought" } });
    const { id: campaignId } = await launchCampaign(project, { goalId: goal.id });
    await project.sdk.identify({ body: { userId: "anna", traits: { plan: "pro" } } });
    const [message] = await messagesOf(project, "anna");
    const deliveryId = message?.deliveryId ?? "";
    for (const type of ["shown", "clicked"] as const) {
      house.advance(1_000);
      await feedback(project, deliveryId, "anna", type);
    }
    house.advance(1_000);
    await project.sdk.track({ body: { userId: "anna", event: "bought" } });
    await house.drain();
    const about = received.filter(({ data }) => data.deliveryId === deliveryId);
    assert.deepEqual(
      about.map(({ type, data }) => [type, data.userId, (data.campaign as { id: string }).id]),
      ["delivery.shown", "delivery.clicked", "delivery.converted"].map((type) => [type, "anna", campaignId]),
    );
    const others = received.filter((each) => !about.includes(each));
    assert.deepEqual(others.map(({ type }) => type).sort(), ["campaign.launched", "user.identified"]);
    assert.deepEqual(await house.differences(project.projectId), {});
  });
});
