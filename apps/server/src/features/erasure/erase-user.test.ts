import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { apiId, userRef } from "../../domain/ids.ts";
import { DAY_MS } from "../../platform/time/clock.ts";
import { applyDeltas, readEvents, readTraits } from "../counting/rollups/public.ts";

const house = testHouse();

const erase = ({ api }: TestProject, id: string, headers: Record<string, string> = {}) =>
  api.eraseUser({ path: { id }, headers });

const conversionsOf = async ({ api }: TestProject, id: string, event: string) => {
  const { evaluatedAt: _, ...counted } = await api.getCampaignConversions({ path: { id }, query: { event } });
  return counted;
};

const track = ({ sdk }: TestProject, userId: string, event: string, props?: Record<string, unknown>) =>
  sdk.track({ body: { userId, event, ...(props === undefined ? {} : { props }) } });

/** All rows with this user's key, in the tables that have rows per user. */
async function rowsOf({ projectId }: TestProject, userId: string): Promise<Record<string, number>> {
  const { userKey } = userRef(projectId, userId);
  const tables = ["users", "events", "event_counts", "active_users", "deliveries", "feedback_receipts"];
  const found: Record<string, number> = {};
  for (const table of tables) {
    const { rows } = await house.database.pool.query<{ count: number }>(
      `select count(*) as count from ${table} where user_key = $1`,
      [userKey],
    );
    if (rows[0]?.count) found[table] = rows[0].count;
  }
  return found;
}

async function activeOf({ projectId }: TestProject): Promise<number | undefined> {
  const { rows } = await house.database.pool.query<{ users: number }>(
    "select coalesce(sum(users), 0)::int8 as users from active_user_counts where project_id = $1",
    [projectId],
  );
  return rows[0]?.users;
}

const EVENTS = ["looked", "paid", "left", "never"] as const;

/** Anna and Ben have looked, were shown two campaigns, paid for a goal, and left; Anna has traits. */
async function lived() {
  const project = await house.project();
  const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent: "paid" } });
  const first = await launchCampaign(project, { goalId: goal.id });
  const second = await launchCampaign(project);
  const traits = { plan: "pro", seats: 3, beta: true, gone: null, tags: ["a"] };
  await project.sdk.identify({ body: { userId: "anna", traits } });
  for (const userId of ["anna", "ben"]) {
    await track(project, userId, "looked", { path: "/", "": null, ["é".repeat(129)]: 1 });
    house.advance(1_000);
    const messages = await messagesOf(project, userId);
    for (const { deliveryId } of messages) {
      await feedback(project, deliveryId, userId, "shown");
      house.advance(DAY_MS);
      await track(project, userId, "paid", { amount: 5 });
    }
    await feedback(project, messages[1]?.deliveryId ?? "", userId, "dismissed");
    house.advance(1);
    await track(project, userId, "left");
  }
  return { project, campaigns: [first.id, second.id] };
}

/** The campaigns of a project, and its reports. */
async function numbersOf(project: TestProject, campaigns: readonly string[]) {
  const { api } = project;
  const found: unknown[] = [];
  for (const id of campaigns) {
    found.push((await api.getCampaign({ path: { id } })).campaign.stats);
    for (const event of EVENTS) found.push(await conversionsOf(project, id, event));
    found.push((await api.listCampaignDeliveries({ path: { id } })).total);
  }
  const { days } = await api.getMetrics({ query: { range: "90d" } });
  found.push(days.map(({ events: _, ...deliveries }) => deliveries));
  const { rows } = await house.database.pool.query(
    "select period, sum(users) as users from active_user_counts where project_id = $1 group by 1 order by 1",
    [project.projectId],
  );
  return [...found, rows];
}

describe("eraseUser", () => {
  it("leaves nothing of the user, and every number of the campaigns", async () => {
    const { project, campaigns } = await lived();
    const { api } = project;
    const before = await numbersOf(project, campaigns);
    assert.equal(await erase(project, "anna"), undefined);

    assert.deepEqual(await rowsOf(project, "anna"), {});
    assert.deepEqual(await numbersOf(project, campaigns), before);
    for (const id of ["anna", apiId("eu", userRef(project.projectId, "anna").userKey)]) {
      for (const read of [api.getUser, api.listUserEvents, api.listUserDeliveries]) {
        assert.equal((await refusal(read({ path: { id } }))).status, 404);
      }
    }
    const { users } = await api.listUsers();
    assert.deepEqual(
      users.map(({ externalUserId }) => externalUserId),
      ["ben"],
    );
    const { events, total } = await api.listEvents();
    assert.deepEqual(
      [new Set(events.map(({ externalUserId }) => externalUserId)), total],
      [new Set(["ben"]), 4],
    );
    assert.deepEqual(await house.differences(), {});
  });

  it("leaves deliveries of nobody in particular", async () => {
    const { project, campaigns } = await lived();
    const path = { id: campaigns[0] ?? "" };
    const { deliveries: before } = await project.api.listCampaignDeliveries({ path });
    const [mine] = await project.api
      .listUserDeliveries({ path: { id: "anna" } })
      .then((all) => all.deliveries);
    await erase(project, "anna");
    const { deliveries } = await project.api.listCampaignDeliveries({ path });
    assert.deepEqual(deliveries.map(({ externalUserId }) => externalUserId).sort(), ["", "ben"]);
    const unnamed = deliveries.find(({ externalUserId }) => externalUserId === "");
    const anna = before.find(({ externalUserId }) => externalUserId === "anna");
    assert.ok(unnamed && anna && mine);
    const own = { id: "", endUserId: "", externalUserId: "" };
    assert.deepEqual({ ...unnamed, ...own }, { ...anna, ...own });
    assert.notEqual(unnamed.endUserId, anna.endUserId);

    assert.equal((await refusal(project.api.getUser({ path: { id: unnamed.endUserId } }))).status, 404);
    assert.equal((await refusal(erase(project, unnamed.endUserId))).status, 404);
    assert.equal((await refusal(feedback(project, mine.id, "anna", "clicked"))).status, 404);
    const { items } = await project.api.listActivity({ query: { limit: 50 } });
    const kindsOf = (name: string) =>
      items.filter(({ user }) => user.externalUserId === name).map(({ kind }) => kind);
    assert.deepEqual(
      [kindsOf("anna"), kindsOf(""), kindsOf("ben").length],
      [[], ["delivery", "delivery"], 3],
    );
    assert.deepEqual(await house.differences(), {});
  });

  it("takes the user out of what is known of users and events", async () => {
    const { project } = await lived();
    const { projectId } = project;
    const known = async () => {
      await applyDeltas(house.tidings.app);
      const { kysely } = house.database;
      const events = await readEvents(kysely, projectId, { limit: 10, properties: 10 });
      const { topEvents, totals } = await project.api.getMetrics({ query: { range: "90d" } });
      return { traits: await readTraits(kysely, projectId, 10), events, topEvents, events90: totals.events };
    };
    assert.equal((await known()).traits.length, 4);
    await erase(project, "anna");
    const { traits, events, topEvents, events90 } = await known();
    assert.deepEqual([traits, events90], [[], 4]);
    assert.deepEqual(
      events.map(({ name, users, occurrences, properties }) => [name, users, occurrences, properties]),
      [
        ["left", 1, 1, []],
        [
          "looked",
          1,
          1,
          [
            { key: "", types: { null: 1 } },
            { key: "path", types: { string: 1 } },
          ],
        ],
        ["paid", 1, 2, [{ key: "amount", types: { number: 2 } }]],
      ],
    );
    assert.deepEqual(topEvents, [
      { name: "paid", count: 2 },
      { name: "left", count: 1 },
      { name: "looked", count: 1 },
    ]);
    await erase(project, "ben");
    const last = await known();
    assert.deepEqual(last, { traits: [], events: [], topEvents: [], events90: 0 });
    const { endUsers, eventsLast7d } = await project.api.getOverview();
    assert.deepEqual([endUsers, eventsLast7d], [0, 0]);
    assert.deepEqual(await house.differences(), {});
  });

  it("makes the same id a new user, who may get the same campaign", async () => {
    const { project, campaigns } = await lived();
    await erase(project, "anna");
    house.advance(1_000);
    const before = await numbersOf(project, campaigns);
    const messages = await messagesOf(project, "anna");
    assert.equal(messages.length, 2);
    const { user } = await project.api.getUser({ path: { id: "anna" } });
    assert.deepEqual([user.traits, user.firstSeenAt], [{}, house.now()]);
    assert.equal((await project.api.listUserEvents({ path: { id: "anna" } })).total, 0);
    assert.notDeepEqual(await numbersOf(project, campaigns), before);
    for (const { deliveryId } of messages) await feedback(project, deliveryId, "anna", "shown");
    await track(project, "anna", "paid");
    const { totals } = await conversionsOf(project, campaigns[0] ?? "", "paid");
    assert.deepEqual([totals.exposedDeliveries, totals.convertedDeliveries], [3, 3]);
    assert.equal((await conversionsOf(project, campaigns[0] ?? "", "left")).totals.convertedUsers, 2);

    // The same id is erased once more: these are two anonymised users.
    await erase(project, "anna");
    const again = await conversionsOf(project, campaigns[0] ?? "", "paid");
    assert.deepEqual([again.totals.exposedUsers, again.totals.convertedUsers], [3, 3]);
    assert.deepEqual(await house.differences(), {});
  });

  it("counts the new user as active, however they come back", async () => {
    const visits: Record<string, (project: TestProject) => Promise<unknown>> = {
      track: (project) => track(project, "anna", "paid"),
      identify: ({ sdk }) => sdk.identify({ body: { userId: "anna" } }),
      async messages(project) {
        await messagesOf(project, "anna");
        await track(project, "anna", "paid");
      },
    };
    for (const [name, visit] of Object.entries(visits)) {
      const project = await house.project();
      await launchCampaign(project);
      await track(project, "anna", "looked");
      await erase(project, "anna");
      assert.equal(await activeOf(project), 1, name);
      await visit(project);
      assert.equal(await activeOf(project), 2, name);
      assert.equal((await rowsOf(project, "anna")).active_users, 1, name);
    }
    assert.deepEqual(await house.differences(), {});
  });

  it("counts the new user as active where another server remembers the old one", async () => {
    const project = await house.project();
    const remembering = await house.elsewhere(project);
    for (let visit = 1; visit <= 3; visit++) {
      await track(remembering, "anna", "looked");
      assert.equal((await rowsOf(project, "anna")).active_users, 1);
      await erase(project, "anna");
    }
    assert.equal(await activeOf(project), 3);
    assert.deepEqual(await house.differences(), {});
  });

  it("answers 204 without a body, once", async () => {
    const { project } = await lived();
    const send = (headers: Record<string, string> = {}) =>
      fetch(`${house.url}/api/v1/users/anna`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${project.secretKey}`, ...headers },
      });
    const key = { "idempotency-key": "erase anna" };
    const answer = await send(key);
    assert.deepEqual([answer.status, await answer.text()], [204, ""]);
    for (const name of ["content-type", "content-length"]) assert.equal(answer.headers.get(name), null);
    assert.equal((await send()).status, 404);
    // A repeat of the earlier request does not erase the new user.
    await track(project, "anna", "looked");
    const replayed = await send(key);
    assert.deepEqual([replayed.status, replayed.headers.get("idempotent-replayed")], [204, "true"]);
    assert.equal((await project.api.getUser({ path: { id: "anna" } })).user.externalUserId, "anna");
    assert.equal((await send()).status, 204);
  });

  it("takes either id, of its own project only", async () => {
    const { project } = await lived();
    const stranger = await house.project();
    await track(stranger, "anna", "looked");
    await erase(project, apiId("eu", userRef(project.projectId, "anna").userKey));
    assert.deepEqual(await rowsOf(project, "anna"), {});
    assert.deepEqual(await rowsOf(stranger, "anna"), {
      users: 1,
      events: 1,
      event_counts: 1,
      active_users: 1,
    });
    for (const id of ["nobody", apiId("eu", userRef(stranger.projectId, "anna").userKey)])
      assert.equal((await refusal(erase(project, id))).status, 404);
    for (const key of ["sdk", "agent"] as const)
      assert.equal((await refusal(project[key].eraseUser({ path: { id: "ben" } }))).status, 403);
    assert.deepEqual(await house.differences(), {});
  });

  it("keeps of what was done only what may have converted", async () => {
    const { project } = await lived();
    await track(project, "unexposed", "looked");
    await erase(project, "unexposed");
    await erase(project, "anna");
    const { rows } = await house.database.pool.query<{ name: string }>(
      "select name from frozen_events where project_id = $1 order by 1",
      [project.projectId],
    );
    assert.deepEqual(rows, [{ name: "left" }, { name: "paid" }]);
    const anonymised = await house.database.pool.query<{ lane: number; user_key: string }>(
      "select lane, user_key from erased_users where project_id = $1",
      [project.projectId],
    );
    const lanes = ["unexposed", "anna"].map((userId) => userRef(project.projectId, userId).lane);
    assert.deepEqual(anonymised.rows.map(({ lane }) => lane).sort(), lanes.sort());
    for (const { lane, user_key: key } of anonymised.rows)
      assert.equal(lane, Number.parseInt(key.slice(0, 2), 16) >> 2);
  });
});
