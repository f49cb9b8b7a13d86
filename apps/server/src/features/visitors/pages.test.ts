import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setSettings } from "../../../test/email.ts";
import { feedback, messagesOf } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { bringEventsOf, launchForVisitors, openBrowser, visitedProject } from "../../../test/visitors.ts";
import { userRef } from "../../domain/ids.ts";
import { visitorIdOf } from "../../domain/visitors.pure.ts";
import { DAY_MS, HOUR_MS } from "../../platform/time/clock.ts";
import { retireEvents } from "../users/events/retire-store.ts";
import { EVENTS_AT_ONCE } from "./merge-visitor.ts";
import { moveEventsLoop } from "./move-loop.ts";

const house = testHouse();

/** More than two pages, so that some events are left after the first two. */
const MANY = 2 * EVENTS_AT_ONCE + 10;

const movePage = () => moveEventsLoop.turn(house.tidings.app, new AbortController().signal);

async function eventsUnder(project: TestProject, userId: string): Promise<string[]> {
  const { lane, userKey } = userRef(project.projectId, userId);
  const { rows } = await house.database.pool.query<{ id: string }>(
    "select event_id as id from events where lane = $1 and user_key = $2 order by event_id",
    [lane, userKey],
  );
  return rows.map(({ id }) => id);
}

/** Ids of events that sort as they are numbered. */
const idOf = (n: number): string => `e${String(n).padStart(5, "0")}`;

/**
 * A visitor who saw a message that the user had too, and another one that the user had not, and did so many things since, of which the last one by
 * its id is what goals count.
 */
async function livedLong() {
  const project = await visitedProject(house);
  const { goal } = await project.api.createGoal({ body: { name: "Pays", targetEvent: "paid" } });
  const shared = await launchForVisitors(project, { goalId: goal.id, name: "Shared" });
  const [own] = await messagesOf(project, "ada");
  await feedback(project, own?.deliveryId ?? "", "ada", "shown");
  const moved = await launchForVisitors(project, { goalId: goal.id, name: "Moved" });
  const browser = openBrowser(project, "b-long");
  for (const { deliveryId } of await browser.messages()) await browser.feedback(deliveryId, "shown");
  const at = house.now() + 1_000;
  house.advance(HOUR_MS);
  const events = Array.from({ length: MANY }, (_, n) => ({
    name: n === MANY - 1 ? "paid" : "looked",
    id: idOf(n),
    ts: at + n,
  }));
  await bringEventsOf(project, browser.anonymousId, events);
  const numbers = async () => {
    const ids = [shared.id, moved.id];
    const conversions = async (id: string, event: string) => {
      const { totals } = await project.api.getCampaignConversions({ path: { id }, query: { event } });
      return [totals.exposedDeliveries, totals.convertedDeliveries, totals.convertedUsers];
    };
    const { results } = await project.api.listCampaignResults({ query: { campaignIds: ids.join(",") } });
    const { totals } = await project.api.getResultDays({ query: { range: "7d" } });
    return {
      paid: await Promise.all(ids.map((id) => conversions(id, "paid"))),
      looked: await Promise.all(ids.map((id) => conversions(id, "looked"))),
      results: results.map(({ totals: { shown, converted } }) => [shown, converted]),
      days: totals.converted,
    };
  };
  const active = async () => {
    const { rows } = await house.database.pool.query<{ users: number }>(
      "select sum(users)::int4 as users from active_user_counts where project_id = $1",
      [project.projectId],
    );
    return rows[0]?.users;
  };
  return { project, browser, numbers, active, at };
}

describe("a visitor with very many events who signs in", () => {
  it("has them moved in pages, with statistics that are right all the while", async () => {
    const { project, browser, numbers, active } = await livedLong();
    const apart = {
      paid: [
        [2, 1, 1],
        [1, 1, 1],
      ],
      looked: [
        [2, 1, 1],
        [1, 1, 1],
      ],
      results: [
        [2, 1],
        [1, 1],
      ],
      days: 2,
    };
    assert.deepEqual(await numbers(), apart);
    await browser.signIn("ada");
    // What the visitor did, the person did: it counts for what the user had before as well.
    const together = {
      paid: [
        [2, 2, 2],
        [1, 1, 1],
      ],
      looked: [
        [2, 2, 2],
        [1, 1, 1],
      ],
      results: [
        [2, 2],
        [1, 1],
      ],
      days: 3,
    };
    assert.deepEqual(await numbers(), together);
    assert.deepEqual(await house.differences(), {});
    assert.equal((await eventsUnder(project, "ada")).length, EVENTS_AT_ONCE);
    assert.equal(await movePage(), true);
    assert.deepEqual(await numbers(), together);
    assert.deepEqual(await house.differences(), {});
    await house.drain();
    assert.deepEqual(
      await eventsUnder(project, "ada"),
      Array.from({ length: MANY }, (_, n) => idOf(n)),
    );
    assert.deepEqual(await eventsUnder(project, visitorIdOf(browser.anonymousId)), []);
    assert.deepEqual(await numbers(), together);
    assert.equal(await active(), 1);
    assert.deepEqual(await house.differences(), {});
  });

  it("and is erased before all are moved leaves the same statistics, and no event", async () => {
    const { project, browser, numbers } = await livedLong();
    await browser.signIn("ada");
    const signedIn = await numbers();
    await project.api.eraseUser({ path: { id: "ada" } });
    const erased = await numbers();
    assert.deepEqual(erased, signedIn);
    await house.drain();
    assert.deepEqual(await eventsUnder(project, "ada"), []);
    assert.deepEqual(await eventsUnder(project, visitorIdOf(browser.anonymousId)), []);
    assert.deepEqual(await numbers(), signedIn);
    assert.deepEqual(await house.differences(), {});
    // The browser is another visitor from then on.
    await browser.track("looked", idOf(1));
    assert.deepEqual(await eventsUnder(project, visitorIdOf(browser.anonymousId)), [idOf(1)]);
    assert.deepEqual(await house.differences(), {});
  });

  it("while some of them get too old to be kept loses none of the counts", async () => {
    const { project, browser, at } = await livedLong();
    await setSettings(house, project, { "retention.eventsDays": "7" });
    const { projectId } = project;
    const retire = (limit: number, before: number) =>
      retireEvents(house.database.kysely, projectId, { before, limit });
    await retire(20, at + MANY);
    await browser.signIn("ada");
    await retire(30, at + MANY);
    await movePage();
    await retire(40, at + MANY);
    assert.deepEqual(await house.differences(), {});
    await house.drain();
    const { rows } = await house.database.pool.query<{ name: string; count: number; retired: number }>(
      "select name, count, retired from event_counts where project_id = $1 order by name",
      [projectId],
    );
    assert.deepEqual(
      rows.map(({ name, count, retired }) => [name, Number(count), Number(retired)]),
      [
        ["looked", MANY - 1, 90],
        ["paid", 1, 0],
      ],
    );
    assert.deepEqual(await house.differences(), {});
    house.advance(DAY_MS);
  });

  it("and does more while they are moved has all of it once, also what is sent again", async () => {
    const { project, browser, active } = await livedLong();
    await browser.signIn("ada");
    // Sent again, because an answer was lost: it is recorded for the visitor still.
    await bringEventsOf(project, browser.anonymousId, [
      { name: "looked", id: idOf(MANY - 2), ts: house.now() - 1 },
    ]);
    await Promise.all([movePage(), browser.track("looked", "new"), movePage(), browser.signIn("ada")]);
    await house.drain();
    const ids = await eventsUnder(project, "ada");
    assert.equal(ids.length, MANY + 1);
    assert.equal(await active(), 1);
    assert.deepEqual(await house.differences(), {});
  });
});
