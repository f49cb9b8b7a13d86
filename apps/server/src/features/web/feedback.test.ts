import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";

const house = testHouse();

type Feedback = Input<"sendDeliveryFeedback">["body"];

const send = ({ sdk }: TestProject, id: string, body: Feedback) =>
  sdk.sendDeliveryFeedback({ path: { id }, body });

const statsOf = async ({ api }: TestProject, id: string) =>
  (await api.getCampaign({ path: { id } })).campaign.stats;

const deliveryOf = async ({ api }: TestProject, id: string) =>
  (await api.listCampaignDeliveries({ path: { id } })).deliveries[0];

/** A project with a campaign, and Anna's delivery of it. */
async function delivered() {
  const project = await house.project();
  const { id: campaignId } = await launchCampaign(project);
  const [message] = await messagesOf(project, "anna");
  assert.ok(message);
  return { project, campaignId, id: message.deliveryId };
}

const shown = { userId: "anna", type: "shown", feedbackId: "f1" } as const;

describe("sendDeliveryFeedback", () => {
  it("acknowledges, and answers the same receipt to a repeat", async () => {
    const { project, campaignId, id } = await delivered();
    const receipt = await send(project, id, shown);
    const { receiptId, ...rest } = receipt;
    assert.ok(receiptId.length > 0);
    const acknowledgedAt = house.now();
    assert.deepEqual(rest, { userId: "anna", deliveryId: id, type: "shown", acknowledgedAt });
    house.advance(60_000);
    assert.deepEqual(await send(project, id, shown), receipt);
    const atOnce = await Promise.all(Array.from({ length: 20 }, () => send(project, id, shown)));
    for (const each of atOnce) assert.deepEqual(each, receipt);
    assert.deepEqual(
      [(await deliveryOf(project, campaignId))?.shownAt, (await statsOf(project, campaignId)).shown],
      [acknowledgedAt, 1],
    );
  });

  it("gives many first ones at once the same receipt", async () => {
    const { project, id } = await delivered();
    const receipts = await Promise.all(Array.from({ length: 20 }, () => send(project, id, shown)));
    for (const receipt of receipts) assert.deepEqual(receipt, receipts[0]);
  });

  it("keeps the first instant of being shown for later renders", async () => {
    const { project, campaignId, id } = await delivered();
    const first = house.now();
    await send(project, id, shown);
    house.advance(1_000);
    const later = await send(project, id, { ...shown, feedbackId: "f2" });
    assert.equal(later.acknowledgedAt, first + 1_000);
    const delivery = await deliveryOf(project, campaignId);
    assert.deepEqual([delivery?.shownAt, delivery?.state], [first, "shown"]);
    assert.equal((await statsOf(project, campaignId)).shown, 1);
  });

  it("counts one impression for many renders reported at once", async () => {
    const { project, campaignId, id } = await delivered();
    const renders = Array.from({ length: 50 }, (_, i) =>
      send(project, id, { ...shown, feedbackId: `r${i}` }),
    );
    const receipts = await Promise.all(renders);
    assert.equal(new Set(receipts.map(({ receiptId }) => receiptId)).size, 50);
    assert.equal((await statsOf(project, campaignId)).shown, 1);
    await Promise.all(Array.from({ length: 30 }, () => feedback(project, id, "anna", "clicked")));
    assert.deepEqual(await statsOf(project, campaignId), {
      ...(await statsOf(project, campaignId)),
      shown: 1,
      clicked: 1,
      dismissed: 0,
      converted: 0,
    });
  });

  for (const type of ["clicked", "dismissed", "converted"] as const) {
    it(`takes ${type} after shown, once, and refuses it before`, async () => {
      const { project, campaignId, id } = await delivered();
      const body = { userId: "anna", type, feedbackId: "f9" };
      assert.equal((await refusal(send(project, id, body))).status, 409);
      assert.equal((await refusal(send(project, id, { type }))).status, 409);
      assert.equal((await deliveryOf(project, campaignId))?.state, "queued");
      await send(project, id, shown);
      house.advance(1_000);
      const receipt = await send(project, id, body);
      const at = house.now();
      house.advance(1_000);
      assert.deepEqual(await send(project, id, body), receipt);
      await send(project, id, { ...body, feedbackId: "f10" });
      await send(project, id, { type });
      const delivery = await deliveryOf(project, campaignId);
      assert.deepEqual([delivery?.state, delivery?.[`${type}At`]], [type, at]);
      assert.equal((await statsOf(project, campaignId))[type], 1);
    });
  }

  it("goes from one resolution to the next, and a late shown changes nothing", async () => {
    const { project, campaignId, id } = await delivered();
    const start = house.now();
    for (const type of ["shown", "dismissed", "clicked", "shown"] as const) {
      await feedback(project, id, "anna", type);
      house.advance(1_000);
    }
    const delivery = await deliveryOf(project, campaignId);
    assert.deepEqual(
      [delivery?.state, delivery?.shownAt, delivery?.dismissedAt, delivery?.clickedAt],
      ["clicked", start, start + 1_000, start + 2_000],
    );
    assert.deepEqual(await messagesOf(project, "anna"), []);
  });

  it("refuses a feedbackId for other feedback", async () => {
    const { project, campaignId, id } = await delivered();
    await send(project, id, shown);
    assert.equal((await refusal(send(project, id, { ...shown, type: "clicked" }))).status, 409);
    await launchCampaign(project);
    const other = (await messagesOf(project, "anna")).find(({ deliveryId }) => deliveryId !== id);
    assert.ok(other);
    assert.equal((await refusal(send(project, other.deliveryId, shown))).status, 409);
    assert.equal((await deliveryOf(project, campaignId))?.state, "shown");
    assert.equal((await statsOf(project, other.campaignId)).shown, 0);
  });

  it("gives a feedbackId to one of two deliveries that want it at once", async () => {
    const project = await house.project();
    for (let i = 0; i < 10; i++) await launchCampaign(project);
    const messages = await messagesOf(project, "anna");
    const results = await Promise.allSettled(
      messages.map(({ deliveryId }) => send(project, deliveryId, shown)),
    );
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    const { campaigns } = await project.api.listCampaigns();
    assert.equal(
      campaigns.reduce((sum, { stats }) => sum + stats.shown, 0),
      1,
    );
  });

  it("takes the older form, and a repeat of it", async () => {
    const { project, campaignId, id } = await delivered();
    const receipt = await send(project, id, { type: "shown" });
    assert.deepEqual([receipt.userId, receipt.deliveryId, receipt.type], ["anna", id, "shown"]);
    house.advance(1_000);
    assert.deepEqual(await send(project, id, { type: "shown" }), receipt);
    await send(project, id, { type: "dismissed" });
    await send(project, id, { type: "dismissed" });
    const stats = await statsOf(project, campaignId);
    assert.deepEqual([stats.shown, stats.dismissed], [1, 1]);
  });

  const refused: readonly [string, Record<string, unknown>][] = [
    ["no type", { type: undefined }],
    ["a type there is not", { type: "opened" }],
    ["an unknown key", { more: true }],
    ["an empty user", { userId: "" }],
    ["a user of 257 characters", { userId: "x".repeat(257) }],
    ["an empty feedbackId", { feedbackId: "" }],
    ["a feedbackId of 257 characters", { feedbackId: "x".repeat(257) }],
    ["a feedbackId with a NUL", { feedbackId: "a\0" }],
    ["a feedbackId that is a number", { feedbackId: 5 }],
  ];
  for (const [name, fields] of refused) {
    it(`refuses ${name}`, async () => {
      const { project, campaignId, id } = await delivered();
      const body = { ...shown, ...fields } as Feedback;
      assert.equal((await refusal(send(project, id, body))).status, 400);
      assert.equal((await deliveryOf(project, campaignId))?.state, "queued");
    });
  }

  it("takes ids of 256 characters, emoji too", async () => {
    const { project, id } = await delivered();
    await send(project, id, { ...shown, feedbackId: "x".repeat(256) });
    const userId = "🎉".repeat(256);
    const [message] = await messagesOf(project, userId);
    const body = { userId, type: "shown" as const, feedbackId: "🎉".repeat(256) };
    assert.equal((await send(project, message?.deliveryId ?? "", body)).userId, userId);
  });

  it("must not be stored on the way", async () => {
    const { project, id } = await delivered();
    const answer = await fetch(`${house.url}/api/v1/deliveries/${id}/event`, {
      method: "POST",
      headers: { authorization: `Bearer ${project.publishableKey}`, "content-type": "application/json" },
      body: JSON.stringify(shown),
    });
    assert.deepEqual([answer.status, answer.headers.get("cache-control")], [200, "no-store"]);
  });

  it("finds no delivery of another project, another user, or none at all", async () => {
    const { project, campaignId, id } = await delivered();
    const other = await house.project();
    const { id: otherCampaign } = await launchCampaign(other);
    await messagesOf(other, "anna");
    const otherDelivery = (await deliveryOf(other, otherCampaign))?.id ?? "";
    await messagesOf(project, "ben");
    const calls = [
      () => send(other, id, shown),
      () => send(other, id, { type: "shown" }),
      () => send(project, otherDelivery, shown),
      () => send(project, otherDelivery, { type: "shown" }),
      () => send(project, id, { ...shown, userId: "ben" }),
      () => send(project, id, { ...shown, userId: "nobody" }),
      () => send(project, `del_${"A".repeat(43)}`, { type: "shown" }),
      () => send(project, id.slice(0, -1), { type: "shown" }),
      () => send(project, id.replace("del_", "cmp_"), { type: "shown" }),
      () => send(project, "x".repeat(128), { type: "shown" }),
    ];
    for (const [i, call] of calls.entries()) {
      const { status, error } = await refusal(call());
      assert.deepEqual([status, error], [404, "Delivery not found"], `call ${i}`);
    }
    assert.deepEqual(
      [(await statsOf(project, campaignId)).shown, (await statsOf(other, otherCampaign)).shown],
      [0, 0],
    );
  });

  it("is for the publishable key", async () => {
    const { project, id } = await delivered();
    for (const client of [project.api, project.agent]) {
      const call = client.sendDeliveryFeedback({ path: { id }, body: shown });
      assert.equal((await refusal(call)).status, 403);
    }
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
