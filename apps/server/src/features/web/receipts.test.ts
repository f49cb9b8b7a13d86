import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchCampaign, messagesOf } from "../../../test/factories.ts";
import { refusal, testHouse } from "../../../test/harness.ts";
import { defaultLimits } from "../../platform/limits.ts";

const house = testHouse({ limits: { ...defaultLimits, deliveryReceipts: 4 } });

describe("the receipts of a delivery", () => {
  it("are bounded: what is reported anew beyond them gets an earlier receipt, and what is new still counts", async () => {
    const project = await house.project();
    const campaign = await launchCampaign(project);
    const other = await launchCampaign(project);
    const messages = await messagesOf(project, "anna");
    const idOf = (campaignId: string): string =>
      messages.find((message) => message.campaignId === campaignId)?.deliveryId ?? "";
    const report = (type: "shown" | "clicked", feedbackId: string, id = idOf(campaign.id)) =>
      project.sdk.sendDeliveryFeedback({ path: { id }, body: { type, userId: "anna", feedbackId } });
    const receipts: string[] = [];
    for (let turn = 0; turn < 10; turn++) {
      house.advance(1_000);
      receipts.push((await report("shown", `shown ${turn}`)).receiptId);
    }
    assert.equal(new Set(receipts).size, 4);
    assert.ok(receipts.slice(4).every((receipt) => receipts.slice(0, 4).includes(receipt)));
    // A kept receipt answers its repeat, and its id cannot be used for other feedback.
    assert.equal((await report("shown", "shown 2")).receiptId, receipts[2]);
    assert.equal((await refusal(report("clicked", "shown 2"))).status, 409);
    // An event that the delivery does not have yet is applied, and gets its own receipt.
    const clicked = await report("clicked", "clicked");
    assert.ok(!receipts.includes(clicked.receiptId));
    assert.equal((await report("clicked", "clicked again")).receiptId, clicked.receiptId);
    for (let turn = 0; turn < 4; turn++) await report("shown", `other ${turn}`, idOf(other.id));
    const { campaign: after } = await project.api.getCampaign({ path: { id: campaign.id } });
    assert.deepEqual([after.stats.shown, after.stats.clicked], [1, 1]);
    const { rows } = await house.database.pool.query(
      "select count(*)::int as kept from feedback_receipts where campaign_id = any(select id from campaigns where project_id = $1)",
      [project.projectId],
    );
    assert.deepEqual(rows, [{ kept: 4 + 1 + 4 }]);
    assert.deepEqual(await house.differences(), {});
  });
});
