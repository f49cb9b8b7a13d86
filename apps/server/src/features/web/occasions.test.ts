import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { refusal, testHouse } from "../../../test/harness.ts";
import { deliveryTo, queueOnTheWeb, statesOf } from "../../../test/occasions.ts";
import { SECOND_MS } from "../../platform/time/clock.ts";

const house = testHouse();

afterEach(async () => assert.deepEqual(await house.differences(), {}));

/** A campaign that Anna has on occasions 0 and 1. */
async function twice() {
  const project = await house.project();
  const { id: campaignId } = await launchCampaign(project);
  const place = { project, campaignId };
  await messagesOf(project, "anna");
  await queueOnTheWeb(house, place, "anna", [1]);
  const [first, second] = [0, 1].map((occasion) => deliveryTo(place, "anna", occasion));
  assert.ok(first && second);
  assert.deepEqual(await statesOf(place), { [first]: "queued", [second]: "queued" });
  const report = (
    id: string,
    type: "shown" | "clicked" | "dismissed" | "converted",
    feedbackId?: string,
    userId = "anna",
  ) =>
    project.sdk.sendDeliveryFeedback({
      path: { id },
      body: feedbackId === undefined ? { type } : { type, userId, feedbackId },
    });
  const stats = async () => {
    const { shown, clicked, dismissed } = (await project.api.getCampaign({ path: { id: campaignId } }))
      .campaign.stats;
    return { shown, clicked, dismissed };
  };
  const served = async () => (await messagesOf(project, "anna")).map(({ deliveryId }) => deliveryId);
  return { project, place, first, second, report, stats, served };
}

describe("the feed of a user who has a campaign on later occasions", () => {
  it("serves the first occasion, and that once", async () => {
    const { project, place, first, second, served } = await twice();
    for (let reading = 0; reading < 2; reading++) assert.deepEqual(await served(), [first]);
    await feedback(project, second, "anna", "shown");
    await feedback(project, second, "anna", "dismissed");
    assert.deepEqual(await served(), [first]);
    await feedback(project, first, "anna", "shown");
    await feedback(project, first, "anna", "clicked");
    assert.deepEqual(await served(), []);
    assert.deepEqual(await statesOf(place), { [first]: "clicked", [second]: "dismissed" });
  });

  it("makes the first occasion where there is a later one alone", async () => {
    const project = await house.project();
    const place = { project, campaignId: (await launchCampaign(project)).id };
    await queueOnTheWeb(house, place, "anna", [1, 2]);
    const ids = (await messagesOf(project, "anna")).map(({ deliveryId }) => deliveryId);
    assert.deepEqual(ids, [deliveryTo(place, "anna", 0)]);
    assert.equal(Object.keys(await statesOf(place)).length, 3);
  });

  it("makes no delivery twice, whoever comes first", async () => {
    const { place } = await twice();
    await Promise.all([
      ...[[0, 1], [1, 0, 2], [2]].map((occasions) => queueOnTheWeb(house, place, "anna", occasions)),
      messagesOf(place.project, "anna"),
    ]);
    assert.equal(Object.keys(await statesOf(place)).length, 3);
  });
});

describe("feedback on a later occasion", () => {
  it("changes the delivery of its id alone", async () => {
    const { place, first, second, report, stats } = await twice();
    assert.equal((await refusal(report(second, "clicked", "early"))).status, 409);
    const receipt = await report(second, "shown", "f1");
    assert.deepEqual([receipt.deliveryId, receipt.userId, receipt.type], [second, "anna", "shown"]);
    assert.deepEqual(await statesOf(place), { [first]: "queued", [second]: "shown" });
    // The first one was not shown, so nothing can resolve it.
    assert.equal((await refusal(report(first, "clicked", "f2"))).status, 409);
    house.advance(SECOND_MS);
    await report(second, "clicked", "f2");
    assert.deepEqual(await statesOf(place), { [first]: "queued", [second]: "clicked" });
    assert.deepEqual(await stats(), { shown: 1, clicked: 1, dismissed: 0 });
    assert.deepEqual(await report(second, "shown", "f1"), receipt);
  });

  it("is other feedback where the other occasion has its id already", async () => {
    const { place, first, second, report, stats } = await twice();
    const receipt = await report(first, "shown", "f1");
    const { status, error } = await refusal(report(second, "shown", "f1"));
    assert.deepEqual([status, error], [409, "feedbackId was used for other feedback"]);
    assert.deepEqual(await statesOf(place), { [first]: "shown", [second]: "queued" });
    assert.deepEqual(await report(first, "shown", "f1"), receipt);
    assert.deepEqual(await stats(), { shown: 1, clicked: 0, dismissed: 0 });
  });

  it("is of one of two occasions that want an id at once", async () => {
    const { first, second, report, stats } = await twice();
    const answers = await Promise.allSettled([first, second].map((id) => report(id, "shown", "f1")));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    assert.equal((await stats()).shown, 1);
  });

  it("is of both occasions at once under ids of their own", async () => {
    const { place, first, second, report, stats } = await twice();
    const receipts = await Promise.all([
      report(first, "shown", "f1"),
      report(second, "shown", "f2"),
      report(first, "shown", "f1"),
      report(second, "shown", "f2"),
    ]);
    assert.deepEqual(
      receipts.map(({ deliveryId }) => deliveryId),
      [first, second, first, second],
    );
    assert.equal(new Set(receipts.map(({ receiptId }) => receiptId)).size, 2);
    assert.deepEqual(await statesOf(place), { [first]: "shown", [second]: "shown" });
    assert.equal((await stats()).shown, 2);
  });

  it("has a receipt for each occasion in the older form", async () => {
    const { first, second, report, stats } = await twice();
    const [one, two] = [await report(first, "shown"), await report(second, "shown")];
    assert.notEqual(one.receiptId, two.receiptId);
    assert.deepEqual([await report(first, "shown"), await report(second, "shown")], [one, two]);
    assert.equal((await stats()).shown, 2);
  });

  it("keeps as many receipts for each occasion as one delivery may have", async () => {
    const { project, first, second, report } = await twice();
    const most = house.tidings.app.config.limits.deliveryReceipts;
    for (let n = 0; n < most; n += 20)
      await Promise.all(
        Array.from({ length: Math.min(20, most - n) }, (_, i) => report(first, "shown", `a${n + i}`)),
      );
    const more = await report(first, "shown", "one more");
    const own = await report(second, "shown", "the first one");
    assert.notEqual(more.receiptId, own.receiptId);
    assert.deepEqual(await report(second, "shown", "the first one"), own);
    const { rows } = await house.database.pool.query<{ occasion: number; kept: number }>(
      `select r.occasion, count(*)::int as kept from feedback_receipts r
      join users u on u.lane = r.lane and u.user_key = r.user_key where u.project_id = $1 group by 1 order by 1`,
      [project.projectId],
    );
    assert.deepEqual(rows, [
      { occasion: 0, kept: most },
      { occasion: 1, kept: 1 },
    ]);
  });

  it("is not found on an occasion that there is not, nor of another user", async () => {
    const { place, second, report } = await twice();
    for (const call of [
      () => report(deliveryTo(place, "anna", 2), "shown", "f1"),
      () => report(deliveryTo(place, "anna", 2 ** 31 - 1), "shown"),
      () => report(second, "shown", "f1", "ben"),
      () => report(`${second.slice(0, -5)}AAAAA`, "shown"),
      () => report(second.slice(0, -1), "shown"),
    ]) {
      const { status, error } = await refusal(call());
      assert.deepEqual([status, error], [404, "Delivery not found"]);
    }
  });
});
