import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TidingsError } from "@tidings/client";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { rounds } from "../../../test/rounds.ts";
import { untilWaiting } from "../../../test/waiting.ts";

const house = testHouse();

const USERS = ["anna", "ben", "carl"];
const EVENTS = ["looked", "paid", "left"];

type Numbers = { stats: unknown; conversions: unknown[] };

async function numbersOf({ api }: TestProject, id: string): Promise<Numbers> {
  const { stats } = (await api.getCampaign({ path: { id } })).campaign;
  const conversions = EVENTS.map(async (event) => {
    const { totals, variants } = await api.getCampaignConversions({ path: { id }, query: { event } });
    return { event, totals, variants };
  });
  return { stats, conversions: await Promise.all(conversions) };
}

/**
 * Repeats until `isOver`. Refusals that erasing causes are expected: the user does not exist (404), or the request waited for the
 * erasure for as long as a statement may take (503).
 */
async function repeat(isOver: () => boolean, act: (turn: number) => Promise<unknown>): Promise<void> {
  for (let turn = 0; !isOver(); turn++) {
    await act(turn).catch((error: unknown) => {
      if (!(error instanceof TidingsError && [404, 409, 503].includes(error.status))) throw error;
    });
  }
}

const pick = <T>(all: readonly T[], turn: number): T => all[turn % all.length] as T;

/** The requests of a page for a user, which the test repeats. */
async function visit(project: TestProject, userId: string, turn: number): Promise<void> {
  for (const { deliveryId } of await messagesOf(project, userId)) {
    await feedback(project, deliveryId, userId, "shown");
    if (turn % 3 === 0) await feedback(project, deliveryId, userId, "clicked");
  }
}

describe("eraseUser with requests that come while it is under way", () => {
  /** Erases Anna, and sends the request when everything but her events and her row is gone. */
  async function during(request: (project: TestProject, deliveryId: string) => Promise<unknown>) {
    const project = await house.project();
    const { projectId } = project;
    const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent: "paid" } });
    await launchCampaign(project, { goalId: goal.id });
    await project.sdk.identify({ body: { userId: "anna", traits: { plan: "pro" } } });
    await project.sdk.track({ body: { userId: "anna", event: "paid" } });
    const [message] = await messagesOf(project, "anna");
    await feedback(project, message?.deliveryId ?? "", "anna", "shown");
    await launchCampaign(project);
    const elsewhere = await house.elsewhere(project);
    await elsewhere.api.getUserSummary();

    const holder = await house.database.pool.connect();
    try {
      await holder.query("begin");
      await holder.query("select from events where project_id = $1 for update", [projectId]);
      const erased = project.api.eraseUser({ path: { id: "anna" } });
      await untilWaiting(house, 1);
      const answered = request(elsewhere, message?.deliveryId ?? "").then(
        () => 200,
        (error: unknown) => (error instanceof TidingsError ? error.status : error),
      );
      await untilWaiting(house, 2);
      await holder.query("commit");
      assert.equal(await erased, undefined);
      assert.deepEqual(await house.differences(), {});
      return { status: await answered, project };
    } finally {
      holder.release();
    }
  }
  const annaOf = async ({ api }: TestProject) => {
    const { user } = await api.getUser({ path: { id: "anna" } });
    const { events } = await api.listUserEvents({ path: { id: "anna" } });
    const { deliveries } = await api.listUserDeliveries({ path: { id: "anna" } });
    const did = events.map(({ name }) => name);
    return { traits: user.traits, did, states: deliveries.map(({ state }) => state) };
  };

  it("an event is the first of a new user", async () => {
    const { status, project } = await during(({ sdk }) =>
      sdk.track({ body: { userId: "anna", event: "paid" } }),
    );
    assert.equal(status, 200);
    assert.deepEqual(await annaOf(project), { traits: {}, did: ["paid"], states: [] });
    const { endUsers, eventsLast7d } = await project.api.getOverview();
    assert.deepEqual([endUsers, eventsLast7d], [1, 1]);
    assert.deepEqual(await house.differences(), {});
  });

  it("traits are those of a new user", async () => {
    const { status, project } = await during(({ sdk }) =>
      sdk.identify({ body: { userId: "anna", traits: { seats: 1 } } }),
    );
    assert.equal(status, 200);
    assert.deepEqual(await annaOf(project), { traits: { seats: 1 }, did: [], states: [] });
    assert.deepEqual(await house.differences(), {});
  });

  it("feedback finds no delivery", async () => {
    const { status, project } = await during((side, id) => feedback(side, id, "anna", "clicked"));
    assert.equal(status, 404);
    assert.equal((await project.api.listUsers()).total, 0);
    assert.deepEqual(await house.differences(), {});
  });

  it("messages are for a new user", async () => {
    const { status, project } = await during((side) => messagesOf(side, "anna"));
    assert.equal(status, 200);
    const { traits, did, states } = await annaOf(project);
    assert.deepEqual([traits, did, [...new Set(states)]], [{}, [], ["queued"]]);
    assert.deepEqual(await house.differences(), {});
  });

  it("the same request finds nobody", async () => {
    const { status } = await during(({ api }) => api.eraseUser({ path: { id: "anna" } }));
    assert.equal(status, 404);
    assert.deepEqual(await house.differences(), {});
  });
});

const ERASED = rounds(21, 60);

describe("eraseUser among other requests for the same users", () => {
  it("leaves every count right, and what was counted", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent: "paid" } });
    const campaigns = [
      (await launchCampaign(project, { goalId: goal.id })).id,
      (await launchCampaign(project, { targeting: { traits: { plan: "pro" } } })).id,
    ];
    let turns = 0;
    const erased = { count: 0 };
    const isOver = (): boolean => erased.count >= ERASED || turns >= 20 * ERASED;
    const acts: ((side: TestProject, userId: string, turn: number) => Promise<unknown>)[] = [
      (side, userId, turn) =>
        side.sdk.track({ body: { userId, event: pick(EVENTS, turn), props: { turn } } }),
      (side, userId, turn) =>
        side.sdk.track({ body: { userId, event: "paid", eventId: `e${turn % 4}`, props: { fix: true } } }),
      (side, userId, turn) =>
        side.sdk.identify({
          body: { userId, traits: { plan: pick(["pro", "free", 5], turn), [`k${turn % 3}`]: turn } },
        }),
      visit,
    ];
    const loops = [project, await house.elsewhere(project)].flatMap((side) =>
      USERS.flatMap((userId) => acts.map((act) => repeat(isOver, (turn) => act(side, userId, turn)))),
    );
    const eraser = repeat(isOver, async (turn) => {
      turns++;
      house.advance(1);
      await project.api.eraseUser({ path: { id: pick(USERS, turn) } });
      erased.count++;
    });
    await Promise.all([...loops, eraser]);
    assert.ok(erased.count > 20, `${erased.count} erased in ${turns} turns`);
    assert.deepEqual(await house.differences(), {});

    const before = await Promise.all(campaigns.map((id) => numbersOf(project, id)));
    for (const { externalUserId: id } of (await project.api.listUsers()).users)
      await project.api.eraseUser({ path: { id } });
    assert.deepEqual(await Promise.all(campaigns.map((id) => numbersOf(project, id))), before);
    const { endUsers, eventsLast7d } = await project.api.getOverview();
    assert.deepEqual([endUsers, eventsLast7d], [0, 0]);
    const { days } = await project.api.getMetrics({ query: { range: "7d" } });
    assert.deepEqual(await house.differences(), {});
    assert.ok(days.at(-1)?.impressions);
  });
});
