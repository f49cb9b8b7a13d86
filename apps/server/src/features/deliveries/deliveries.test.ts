import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { feedback, launchCampaign, messagesOf, toast } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { chooseVariant } from "./rules.ts";

const house = testHouse();

type Query = NonNullable<Input<"listCampaignDeliveries">["query"]>;

const list = ({ api }: TestProject, id: string, query: Query = {}) =>
  api.listCampaignDeliveries({ path: { id }, query });

/** Fetches the one message of a user, and reports it shown. */
async function expose(project: TestProject, userId: string): Promise<string> {
  const [message] = await messagesOf(project, userId);
  assert.ok(message);
  await feedback(project, message.deliveryId, userId, "shown");
  return message.deliveryId;
}

const conversions = async ({ api }: TestProject, id: string, event: string) =>
  (await api.getCampaignConversions({ path: { id }, query: { event } })).totals;

const counts = (exposed: number, converted: number) => ({
  exposedDeliveries: exposed,
  exposedUsers: exposed,
  convertedDeliveries: converted,
  convertedUsers: converted,
});

/** Imports events with their times, with the secret key; every one must be taken. */
async function importEvents(
  { api }: TestProject,
  events: readonly { userId: string; event: string; ts: number }[],
): Promise<void> {
  const { results } = await api.trackBatch({ body: { events: [...events] } });
  assert.deepEqual(
    results,
    events.map(() => ({ ok: true })),
  );
}

describe("chooseVariant", () => {
  const cases: readonly [readonly number[], number, number | null][] = [
    // weights, point, position of the variant
    [[1], 0, 0],
    [[1], 0.999_999, 0],
    [[1, 1], 0.499_999, 0],
    [[1, 1], 0.5, 1],
    [[1, 3], 0.249_999, 0],
    [[1, 3], 0.25, 1],
    [[0, 1], 0, 1],
    [[1, 0, 1], 0.5, 2],
    [[1, 0], 0.999_999, 0],
    [[100, 100, 100], 0.999_999, 2],
    [[0, 0], 0.5, null],
    [[], 0.5, null],
  ];
  for (const [weights, point, position] of cases) {
    it(`${point} among [${weights.join(", ")}] is ${position ?? "nobody"}`, () => {
      const variants = weights.map((weight, i) => ({ id: String(i), weight }));
      assert.equal(chooseVariant(variants, point)?.id ?? null, position === null ? null : String(position));
    });
  }
});

describe("listCampaignDeliveries", () => {
  it("answers a delivery with every instant, null where it did not come", async () => {
    const project = await house.project();
    const campaign = await launchCampaign(project, { variants: [{ name: "Only", message: toast() }] });
    const queuedAt = house.now();
    const [message] = await messagesOf(project, "anna");
    const { deliveries, ...rest } = await project.agent.listCampaignDeliveries({ path: { id: campaign.id } });
    assert.deepEqual(rest, { total: 1, page: 1, pageCount: 1, nextCursor: null, searchedAll: true });
    assert.match(deliveries[0]?.endUserId ?? "", /^eu_/);
    assert.deepEqual(deliveries, [
      {
        id: message?.deliveryId,
        endUserId: deliveries[0]?.endUserId,
        externalUserId: "anna",
        variantId: campaign.variants[0]?.id,
        variantName: "Only",
        variantTitle: "Hello",
        state: "queued",
        queuedAt,
        sentAt: null,
        deliveredAt: null,
        shownAt: null,
        openedAt: null,
        clickedAt: null,
        dismissedAt: null,
        bouncedAt: null,
        complainedAt: null,
        unsubscribedAt: null,
        convertedAt: null,
      },
    ]);
  });

  it("tells the latest resolution, and keeps the instant of each", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    const start = house.now();
    const deliveryId = await expose(project, "anna");
    const only = async () => (await list(project, id)).deliveries[0];
    assert.deepEqual(await only(), { ...(await only()), state: "shown", shownAt: start });
    let expected = await only();
    for (const type of ["dismissed", "clicked", "converted"] as const) {
      house.advance(1_000);
      await feedback(project, deliveryId, "anna", type);
      assert.ok(expected);
      expected = { ...expected, state: type, [`${type}At`]: house.now() };
      assert.deepEqual(await only(), expected);
    }
  });

  it("answers the newest first, page by page, and of one state where asked", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    const users: string[] = [];
    for (let i = 0; i < 60; i++) {
      house.advance(1);
      users.unshift(`user ${i}`);
      if (i % 3 === 0) await expose(project, `user ${i}`);
      else await messagesOf(project, `user ${i}`);
    }
    const listed = async (query?: Query) =>
      (await list(project, id, query)).deliveries.map(({ externalUserId }) => externalUserId);
    assert.deepEqual(await listed(), users.slice(0, 50));
    assert.deepEqual(await listed({ page: 2 }), users.slice(50));
    assert.deepEqual(await listed({ page: 3 }), []);
    assert.deepEqual(await listed({ perPage: 100 }), users);
    assert.deepEqual(await listed({ perPage: 7, page: 3 }), users.slice(14, 21));
    const shown = users.filter((user) => Number(user.slice(5)) % 3 === 0);
    assert.deepEqual(await listed({ state: "shown" }), shown);
    assert.deepEqual(await listed({ state: "shown", perPage: 6, page: 2 }), shown.slice(6, 12));
    assert.deepEqual(await listed({ state: "failed" }), []);
    const { total, page, pageCount } = await list(project, id, { state: "shown", perPage: 6, page: 4 });
    assert.deepEqual({ total, page, pageCount }, { total: 20, page: 4, pageCount: 4 });
    assert.deepEqual(await list(project, id, { state: "failed" }), {
      deliveries: [],
      total: 0,
      page: 1,
      pageCount: 0,
      nextCursor: null,
      searchedAll: true,
    });
  });

  it("gives pages that neither repeat nor lose one of the same millisecond", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    const users = Array.from({ length: 25 }, (_, i) => `user ${i}`);
    await Promise.all(users.map((user) => messagesOf(project, user)));
    const found: string[] = [];
    for (let page = 1; page <= 3; page++) {
      const { deliveries } = await list(project, id, { page, perPage: 10 });
      found.push(...deliveries.map(({ externalUserId }) => externalUserId));
    }
    assert.deepEqual(found.toSorted(), users.toSorted());
  });

  const refused: readonly Record<string, unknown>[] = [
    { state: "open" },
    { state: "" },
    { page: 0 },
    { page: "x" },
    { perPage: 0 },
    { perPage: 101 },
  ];
  for (const query of refused) {
    it(`refuses ${JSON.stringify(query)}`, async () => {
      const project = await house.project();
      const { id } = await launchCampaign(project);
      assert.equal((await refusal(list(project, id, query as Query))).status, 400);
    });
  }

  it("lists each campaign's own", async () => {
    const project = await house.project();
    const [a, b] = [await launchCampaign(project), await launchCampaign(project, { launch: false })];
    await messagesOf(project, "anna");
    assert.deepEqual([(await list(project, a.id)).total, (await list(project, b.id)).total], [1, 0]);
  });
});

describe("getCampaignConversions", () => {
  it("answers zeros and every variant where nothing happened yet", async () => {
    const project = await house.project();
    const campaign = await launchCampaign(project, {
      variants: [{ message: toast() }, { message: toast(), name: "Other", weight: 0 }],
    });
    const { id } = campaign;
    await messagesOf(project, "fetched only");
    const query = { event: "signed_up" };
    const { statistics: _, ...counted } = await project.agent.getCampaignConversions({ path: { id }, query });
    assert.deepEqual(counted, {
      campaignId: id,
      event: "signed_up",
      evaluatedAt: house.now(),
      exposure: "shownAt",
      totals: counts(0, 0),
      variants: campaign.variants.map(({ id: variantId, name: variantName }) => ({
        variantId,
        variantName,
        ...counts(0, 0),
      })),
    });
  });

  it("counts an event at the very instant of exposure and not one millisecond before", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    const shownAt = house.now();
    for (const user of ["before", "at", "after"]) await expose(project, user);
    house.advance(60_000);
    await importEvents(project, [
      { userId: "before", event: "paid", ts: shownAt - 1 },
      { userId: "at", event: "paid", ts: shownAt },
      { userId: "after", event: "paid", ts: shownAt + 1 },
    ]);
    assert.deepEqual(await conversions(project, id, "paid"), counts(3, 2));
  });

  it("counts up to the very instant it is asked at, for exposures as for events", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    const shownAt = house.now();
    await expose(project, "anna");
    house.at(shownAt + 10);
    await project.sdk.track({ body: { userId: "anna", event: "paid" } });
    await expose(project, "ben");
    house.at(shownAt + 20);
    await project.sdk.track({ body: { userId: "anna", event: "paid" } });
    const conversionsAt = async (instant: number) => {
      house.at(instant);
      return conversions(project, id, "paid");
    };
    assert.deepEqual(await conversionsAt(shownAt - 1), counts(0, 0));
    assert.deepEqual(await conversionsAt(shownAt), counts(1, 0));
    assert.deepEqual(await conversionsAt(shownAt + 9), counts(1, 0));
    assert.deepEqual(await conversionsAt(shownAt + 10), counts(2, 1));
    assert.deepEqual(await conversionsAt(shownAt + 19), counts(2, 1));
    assert.deepEqual(await conversionsAt(shownAt + 20), counts(2, 1));
    house.at(shownAt + 1_000);
  });

  it("counts a user once for several events, and for one among earlier and later ones", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    for (const user of ["anna", "ben"]) await project.sdk.track({ body: { userId: user, event: "paid" } });
    house.advance(1);
    for (const user of ["anna", "ben"]) await expose(project, user);
    assert.deepEqual(await conversions(project, id, "paid"), counts(2, 0));
    house.advance(1);
    for (let i = 0; i < 3; i++) await project.sdk.track({ body: { userId: "anna", event: "paid" } });
    assert.deepEqual(await conversions(project, id, "paid"), counts(2, 1));
    house.advance(60_000);
    await importEvents(project, [{ userId: "ben", event: "paid", ts: house.now() - 120_000 }]);
    assert.deepEqual(await conversions(project, id, "paid"), counts(2, 1));
  });

  it("counts by name exactly, for any event, linked to a goal or not", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    await expose(project, "anna");
    house.advance(1);
    for (const event of ["paid", "🎉".repeat(80), "a b&c=d?"])
      await project.sdk.track({ body: { userId: "anna", event } });
    for (const event of ["paid", "🎉".repeat(80), "a b&c=d?"])
      assert.deepEqual(await conversions(project, id, event), counts(1, 1), event);
    for (const event of ["Paid", "paid ", "pai", "%"])
      assert.deepEqual(await conversions(project, id, event), counts(1, 0), event);
  });

  it("counts neither other users nor the same user elsewhere", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const { id } = await launchCampaign(project);
    const { id: otherId } = await launchCampaign(other);
    for (const each of [project, other]) await expose(each, "anna");
    house.advance(1);
    await other.sdk.track({ body: { userId: "anna", event: "paid" } });
    await project.sdk.track({ body: { userId: "ben", event: "paid" } });
    assert.deepEqual(await conversions(project, id, "paid"), counts(1, 0));
    assert.deepEqual(await conversions(other, otherId, "paid"), counts(1, 1));
  });

  it("counts by variant, and sums them", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, {
      variants: [{ message: toast() }, { message: toast() }, { message: toast(), weight: 0 }],
    });
    const users = Array.from({ length: 40 }, (_, i) => `user ${i}`);
    await Promise.all(users.map((user) => expose(project, user)));
    house.advance(1);
    await Promise.all(
      users.slice(0, 25).map((userId) => project.sdk.track({ body: { userId, event: "paid" } })),
    );
    const { deliveries } = await list(project, id, { perPage: 100 });
    const paid = new Set(users.slice(0, 25));
    const answer = await project.api.getCampaignConversions({ path: { id }, query: { event: "paid" } });
    assert.deepEqual(answer.totals, counts(40, 25));
    for (const { variantId, variantName: _, ...found } of answer.variants) {
      const theirs = deliveries.filter((delivery) => delivery.variantId === variantId);
      const converted = theirs.filter(({ externalUserId }) => paid.has(externalUserId)).length;
      assert.deepEqual(found, counts(theirs.length, converted));
    }
  });

  it("asks for an event of 1 to 80 characters", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    for (const event of ["", "x".repeat(81), "🎉".repeat(81)])
      assert.equal((await refusal(conversions(project, id, event))).status, 400);
    const none = project.api.getCampaignConversions({ path: { id }, query: {} as { event: string } });
    const { status, error } = await refusal(none);
    assert.deepEqual([status, error], [400, "event is required"]);
  });

  it("agrees with the goal's counter, whatever is imported when", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Pay", targetEvent: "paid" } });
    const { id } = await launchCampaign(project, { goalId: goal.id });
    const shownAt = house.now();
    for (const user of ["before", "at", "both", "nobody", "live"]) await expose(project, user);
    house.advance(60_000);
    await importEvents(project, [
      { userId: "both", event: "paid", ts: shownAt + 5 },
      { userId: "both", event: "paid", ts: shownAt - 5 },
      { userId: "both", event: "paid", ts: shownAt + 2 },
      { userId: "before", event: "paid", ts: shownAt - 1 },
      { userId: "at", event: "paid", ts: shownAt },
      { userId: "nobody", event: "other", ts: shownAt },
    ]);
    await project.sdk.track({ body: { userId: "live", event: "paid" } });
    assert.deepEqual(await conversions(project, id, "paid"), counts(5, 3));
    const { campaign } = await project.api.getCampaign({ path: { id } });
    assert.equal(campaign.stats.converted, 3);
    const converted = (await list(project, id, { state: "converted" })).deliveries;
    const at = Object.fromEntries(converted.map((each) => [each.externalUserId, each.convertedAt]));
    assert.deepEqual(Object.keys(at).toSorted(), ["at", "both", "live"]);
    assert.deepEqual([at.at, at.live], [shownAt, house.now()]);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
