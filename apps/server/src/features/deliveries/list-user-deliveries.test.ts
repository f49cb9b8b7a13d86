import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer } from "@tidings/client";
import { feedback, launchCampaign, messagesOf, toast } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";

const house = testHouse();

type Paging = { page?: number; perPage?: number };
type UserDelivery = Answer<"listUserDeliveries">["deliveries"][number];

const list = ({ agent }: TestProject, id: string, query: Paging = {}) =>
  agent.listUserDeliveries({ path: { id }, query });

/** The order of the list: newest queued first; at equal instants by campaign, descending. */
const inOrder = (deliveries: readonly UserDelivery[]): UserDelivery[] =>
  deliveries.toSorted((a, b) => b.queuedAt - a.queuedAt || (a.campaignId < b.campaignId ? 1 : -1));

describe("listUserDeliveries", () => {
  it("answers what a user got, with names as they are now and the latest state", async () => {
    const project = await house.project();
    const variants = [{ name: "Only 🎉", message: toast() }];
    const campaign = await launchCampaign(project, { name: "Spring", variants });
    const queuedAt = house.now();
    const [message] = await messagesOf(project, "anna");
    assert.ok(message);
    house.advance(1_000);
    await feedback(project, message.deliveryId, "anna", "shown");
    await project.api.updateCampaign({ path: { id: campaign.id }, body: { name: "Été" } });
    const { user } = await project.api.getUser({ path: { id: "anna" } });
    for (const [id, campaignStatus] of [
      ["anna", "running"],
      [user.id, "ended"],
    ] as const) {
      assert.deepEqual(await list(project, id), {
        deliveries: [
          {
            id: message.deliveryId,
            campaignId: campaign.id,
            campaignName: "Été",
            campaignStatus,
            variantId: campaign.variants[0]?.id,
            variantName: "Only 🎉",
            variantTitle: "Hello",
            state: "shown",
            queuedAt,
          },
        ],
        total: 1,
        page: 1,
        pageCount: 1,
      });
      if (campaignStatus === "running")
        await project.api.setCampaignStatus({ path: { id: campaign.id }, body: { action: "end" } });
    }
  });

  it("has the title of what was delivered, and none once the text is another one", async () => {
    const project = await house.project();
    const path = { id: (await launchCampaign(project, { message: toast("Spring  is\nhere") })).id };
    await messagesOf(project, "anna");
    const titlesOf = async () => {
      const { deliveries } = await project.agent.listCampaignDeliveries({ path });
      const { deliveries: ofAnna } = await list(project, "anna");
      return [deliveries.map((each) => each.variantTitle), ofAnna.map((each) => each.variantTitle)];
    };
    assert.deepEqual(await titlesOf(), [["Spring is here"], ["Spring is here"]]);
    await project.api.updateCampaign({ path, body: { name: "Another name" } });
    assert.deepEqual(await titlesOf(), [["Spring is here"], ["Spring is here"]]);
    await project.api.updateCampaign({ path, body: { message: toast("Summer") } });
    assert.deepEqual(await titlesOf(), [[null], [null]]);
    await messagesOf(project, "ben");
    assert.deepEqual((await titlesOf())[0]?.toSorted(), ["Summer", null]);
  });

  it("pages through deliveries of one millisecond, twenty at a time where nothing is said", async () => {
    const project = await house.project();
    for (let i = 0; i < 18; i++) await launchCampaign(project, { name: `Campaign ${i}` });
    await messagesOf(project, "anna");
    house.advance(1);
    for (let i = 18; i < 27; i++) await launchCampaign(project, { name: `Campaign ${i}` });
    await messagesOf(project, "anna");
    await messagesOf(project, "ben");
    const { deliveries: all, total } = await list(project, "anna", { perPage: 100 });
    assert.deepEqual([all.length, total], [27, 27]);
    assert.equal(new Set(all.map(({ campaignName }) => campaignName)).size, 27);
    assert.deepEqual(all, inOrder(all));
    const { deliveries: first, ...rest } = await list(project, "anna");
    assert.deepEqual([first, rest], [all.slice(0, 20), { total: 27, page: 1, pageCount: 2 }]);
    const found: UserDelivery[] = [];
    for (let page = 1; page <= 6; page++)
      found.push(...(await list(project, "anna", { page, perPage: 5 })).deliveries);
    assert.deepEqual(found, all);
  });

  it("answers each page as the list stands at that moment, while messages come", async () => {
    const project = await house.project();
    for (let i = 0; i < 12; i++) await launchCampaign(project);
    await messagesOf(project, "anna");
    const whole = async () => (await list(project, "anna", { perPage: 100 })).deliveries;
    for (let page = 1; page <= 3; page++) {
      const { deliveries } = await list(project, "anna", { page, perPage: 5 });
      assert.deepEqual(deliveries, (await whole()).slice((page - 1) * 5, page * 5));
      const before = await whole();
      house.advance(1);
      await launchCampaign(project);
      await messagesOf(project, "anna");
      assert.deepEqual((await whole()).slice(1), before);
    }
  });

  it("is empty for a user who got nothing, and 404 for none", async () => {
    const [project, other] = [await house.project(), await house.project()];
    await launchCampaign(other);
    await messagesOf(other, "anna");
    const { user } = await other.api.getUser({ path: { id: "anna" } });
    for (const id of ["anna", user.id]) {
      const { status, error } = await refusal(list(project, id));
      assert.deepEqual([status, error], [404, "User not found"]);
    }
    await project.sdk.identify({ body: { userId: "anna" } });
    assert.deepEqual(await list(project, "anna"), { deliveries: [], total: 0, page: 1, pageCount: 0 });
  });

  for (const query of [{ page: 0 }, { perPage: 101 }] as const) {
    it(`refuses ${JSON.stringify(query)}`, async () => {
      const project = await house.project();
      await project.sdk.identify({ body: { userId: "anna" } });
      const { status, error } = await refusal(list(project, "anna", query));
      assert.deepEqual([status, /^(page|perPage) must /.test(error)], [400, true], error);
    });
  }
});
