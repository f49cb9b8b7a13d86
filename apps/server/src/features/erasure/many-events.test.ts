import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { days, event, expression } from "../../../test/audience/trees.ts";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { exportText } from "../../../test/portable.ts";
import { defaultLimits } from "../../platform/limits.ts";
import { DAY_MS } from "../../platform/time/clock.ts";
import { eraseEventsLoop } from "./erase-events.ts";

const AT_ONCE = 3;
const house = testHouse({ limits: { ...defaultLimits, eventsErasedAtOnce: AT_ONCE } });
const signal = new AbortController().signal;

/** Deletes one page of erased users' events; answers whether there was one. */
const page = (): Promise<boolean> => eraseEventsLoop.turn(house.tidings.app, signal);

const EVENTS = 8;

/** Anna and Ben were shown a campaign and did much since. */
async function lived(): Promise<{ project: TestProject; campaignId: string }> {
  const project = await house.project();
  const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent: "paid" } });
  const campaign = await launchCampaign(project, { goalId: goal.id });
  for (const userId of ["anna", "ben"]) {
    const [message] = await messagesOf(project, userId);
    await feedback(project, message?.deliveryId ?? "", userId, "shown");
    house.advance(1);
    for (let i = 0; i < EVENTS; i++)
      await project.sdk.track({
        body: { userId, event: i === 0 ? "paid" : "looked", eventId: `e${i}`, props: { i } },
      });
  }
  return { project, campaignId: campaign.id };
}

async function numbersOf({ api }: TestProject, id: string): Promise<unknown> {
  const { stats } = (await api.getCampaign({ path: { id } })).campaign;
  const conversions = await Promise.all(
    ["paid", "looked", "never"].map(async (event) => {
      const { evaluatedAt: _, ...counted } = await api.getCampaignConversions({
        path: { id },
        query: { event },
      });
      return counted;
    }),
  );
  const { total } = await api.listCampaignDeliveries({ path: { id } });
  const { items } = await api.listActivity({ query: { limit: 50 } });
  return { stats, conversions, total, met: items.filter(({ kind }) => kind === "delivery").length };
}

/** All answers in which an event of an erased user would show. */
async function assertOnlyBen(project: TestProject): Promise<void> {
  const { api } = project;
  const { users } = await api.listUsers();
  assert.deepEqual(
    users.map(({ externalUserId }) => externalUserId),
    ["ben"],
  );
  for (const query of [{}, { since: 0 }, { q: "look" }, { name: "looked" }, { name: "looked", since: 0 }]) {
    const { events, total } = await api.listEvents({ query: { ...query, perPage: 100 } });
    const expected = "name" in query || "q" in query ? EVENTS - 1 : EVENTS;
    assert.deepEqual([events.length, total], [expected, expected], JSON.stringify(query));
    for (const { externalUserId } of events) assert.equal(externalUserId, "ben");
  }
  for (const read of [api.getUser, api.listUserEvents, api.listUserDeliveries])
    assert.equal((await refusal(read({ path: { id: "anna" } }))).status, 404);
  assert.equal((await refusal(api.eraseUser({ path: { id: "anna" } }))).status, 404);
  const { endUsers } = await api.getOverview();
  assert.equal(endUsers, 1);
}

describe("eraseUser of somebody with many events", () => {
  it("agrees with itself after each page, also where most of the events were history", async () => {
    const project = await house.project();
    const ages = Array.from({ length: EVENTS }, (_, i) => (i < 2 ? 0 : 400 * DAY_MS));
    await project.api.trackBatch({
      body: { events: ages.map((age) => ({ userId: "anna", event: "looked", ts: house.now() - age })) },
    });
    assert.deepEqual(await house.differences(), {});
    await project.api.eraseUser({ path: { id: "anna" } });
    let pages = 0;
    do assert.deepEqual(await house.differences(), {});
    while ((await page()) && ++pages < EVENTS);
    assert.ok(pages > 1, `${pages} pages`);
    assert.deepEqual(await house.differences(), {});
  });

  it("is done at once for everyone who reads, and deletes the events in pages", async () => {
    const { project, campaignId } = await lived();
    const before = await numbersOf(project, campaignId);
    await project.api.eraseUser({ path: { id: "anna" } });
    let pages = 0;
    do {
      await assertOnlyBen(project);
      assert.deepEqual(await numbersOf(project, campaignId), before);
      assert.deepEqual(await house.differences(), {});
      pages++;
    } while (await page());
    assert.ok(pages > EVENTS / AT_ONCE, `${pages} pages`);
    const { rows } = await house.database.pool.query(
      "select from events where project_id = $1 union all select from erasing_users",
      [project.projectId],
    );
    assert.equal(rows.length, EVENTS);
    const { topEvents, totals } = await project.api.getMetrics({ query: { range: "7d" } });
    assert.deepEqual(
      [topEvents, totals.events],
      [
        [
          { name: "looked", count: EVENTS - 1 },
          { name: "paid", count: 1 },
        ],
        EVENTS,
      ],
    );
  });

  it("keeps what comes of the same id waiting until then: it is a new user's, and all of it stays", async () => {
    const { project } = await lived();
    const { sdk, api } = project;
    house.advance(DAY_MS);
    await api.eraseUser({ path: { id: "anna" } });
    let answered = 0;
    const requests = [
      sdk.track({ body: { userId: "anna", event: "looked", props: { anew: true } } }),
      // The erased user had an event with this id: it must not count as a repeat.
      sdk.track({ body: { userId: "anna", event: "paid", eventId: "e0", props: { i: 0 } } }),
      sdk.track({ body: { userId: "anna", event: "left", eventId: "e1" } }),
      sdk.identify({ body: { userId: "anna", traits: { seats: 2 } } }),
      messagesOf(project, "anna"),
    ].map((each: Promise<unknown>) =>
      each.finally(() => {
        answered++;
      }),
    );
    // Requests of other users do not wait.
    await sdk.track({ body: { userId: "carl", event: "looked" } });
    await page();
    await sdk.track({ body: { userId: "carl", event: "looked" } });
    assert.equal(answered, 0);
    assert.deepEqual(await house.differences(), {});
    await house.drain();
    await Promise.all(requests);
    const { user } = await api.getUser({ path: { id: "anna" } });
    assert.deepEqual([user.traits, user.firstSeenAt], [{ seats: 2 }, house.now()]);
    const { events } = await api.listUserEvents({ path: { id: "anna" } });
    assert.deepEqual(events.map(({ name, props }) => [name, props]).sort(), [
      ["left", null],
      ["looked", { anew: true }],
      ["paid", { i: 0 }],
    ]);
    assert.deepEqual(await house.differences(), {});
  });

  it("decides about messages for a new user by nothing that the old one did", async () => {
    const project = await house.project();
    for (let i = 0; i < EVENTS; i++)
      await project.sdk.track({ body: { userId: "dora", event: "looked", props: { i } } });
    for (const root of [event("looked"), event("looked", { window: days(30) })])
      await launchCampaign(project, { audience: { kind: "expression", expression: expression(root) } });
    await project.api.eraseUser({ path: { id: "dora" } });
    assert.deepEqual(await messagesOf(project, "dora"), []);
    await house.drain();
    assert.deepEqual(await messagesOf(project, "dora"), []);
    assert.deepEqual(await house.differences(), {});
  });

  it("exports a project without what is left of them", async () => {
    const { project } = await lived();
    await project.api.eraseUser({ path: { id: "anna" } });
    const text = await exportText(house, project.projectId);
    assert.equal(text.split("\n").filter((line) => line.startsWith('{"type":"events"')).length, EVENTS);
    assert.deepEqual(await house.differences(), {});
  });
});
