import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { feedback, launchCampaign, messagesOf } from "../../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { applyDeltas, readEvents, readTraits } from "./public.ts";
import { shapeOf } from "./rules.ts";

const house = testHouse();

afterEach(async () => assert.deepEqual(await house.differences(), {}));

type Json = Record<string, unknown>;

const identify = ({ sdk }: TestProject, userId: string, traits: Json) =>
  sdk.identify({ body: { userId, traits } });
const track = ({ sdk }: TestProject, userId: string, event: string, props?: Json) =>
  sdk.track({ body: { userId, event, ...(props === undefined ? {} : { props }) } });

/** Traits by key: types, users, values. */
async function traitsOf({ projectId }: TestProject) {
  await applyDeltas(house.tidings.app);
  const found = await readTraits(house.database.kysely, projectId, 100);
  return Object.fromEntries(found.map(({ key, types, users, values }) => [key, [types, users, values]]));
}

async function eventsOf({ projectId }: TestProject, limits = { limit: 100, properties: 100 }) {
  await applyDeltas(house.tidings.app);
  return readEvents(house.database.kysely, projectId, limits);
}

const countDeltas = async ({ projectId }: TestProject): Promise<number> =>
  (
    await house.database.kysely
      .selectFrom("rollupDeltas")
      .select("id")
      .where("projectId", "=", projectId)
      .execute()
  ).length;

describe("event names", () => {
  it("count users, occurrences and types of properties, the most frequent first", async () => {
    const project = await house.project();
    await track(project, "anna", "paid", { amount: 5, from: "web" });
    house.advance(1);
    await track(project, "anna", "paid", { amount: "5", list: [], map: {}, yes: true, none: null });
    await track(project, "ben", "paid", { amount: 7 });
    await track(project, "ben", "left");
    assert.deepEqual(await eventsOf(project, { limit: 1, properties: 1 }), [
      {
        name: "paid",
        users: 2,
        occurrences: 3,
        lastSeenAt: house.now(),
        properties: [
          { key: "amount", types: { number: 2, string: 1 } },
          { key: "from", types: { string: 1 } },
        ],
        hasOther: false,
      },
    ]);
    const [paid, left] = await eventsOf(project);
    assert.deepEqual(paid?.properties.slice(2), [
      { key: "list", types: { array: 1 } },
      { key: "map", types: { object: 1 } },
      { key: "none", types: { null: 1 } },
      { key: "yes", types: { boolean: 1 } },
    ]);
    assert.deepEqual([left?.name, left?.users, left?.occurrences, left?.properties], ["left", 1, 1, []]);
    assert.deepEqual(await eventsOf(await house.project()), []);
  });

  it("count a repeated event once, at once or later, of either server", async () => {
    const project = await house.project();
    const elsewhere = await house.elsewhere(project);
    const body = { userId: "anna", event: "paid", eventId: "e1", props: { amount: 5 } };
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? project : elsewhere).sdk.track({ body })),
    );
    await project.api.trackBatch({ body: { events: [body, body, { ...body, eventId: "e2" }] } });
    const [paid] = await eventsOf(project);
    assert.deepEqual(
      [paid?.users, paid?.occurrences, paid?.properties],
      [1, 2, [{ key: "amount", types: { number: 2 } }]],
    );
  });

  it("take unusual keys, and leave out very long ones", async () => {
    const project = await house.project();
    const keys = ["", "constructor", "toString", "\u2603".repeat(85), "🎉", 'a"b\\c\n', "{1,2}"];
    const tooLong = ["k".repeat(257), "\u2603".repeat(86)];
    const props = Object.fromEntries([...keys, ...tooLong].map((key) => [key, 1]));
    await track(project, "anna", "odd", props);
    await identify(project, "anna", props);
    const [odd] = await eventsOf(project);
    assert.deepEqual(new Set(odd?.properties.map(({ key }) => key)), new Set(keys));
    assert.deepEqual(new Set(Object.keys(await traitsOf(project))), new Set(keys));
    await track(project, "anna", "longest", { ["k".repeat(256)]: 1 });
    assert.equal((await eventsOf(project))[0]?.properties.length, 1);
  });

  it("know nothing of a number too large for JSON, which is refused", async () => {
    const project = await house.project();
    for (const [path, field] of [
      ["track", `"event":"big","props"`],
      ["identify", `"traits"`],
    ]) {
      const answer = await fetch(`${house.url}/api/v1/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${project.publishableKey}`, "content-type": "application/json" },
        body: `{"userId":"anna",${field}:{"up":1e999,"down":-1e999,"fine":1e300}}`,
      });
      assert.equal(answer.status, 400);
    }
    await track(project, "anna", "big", { fine: 1e300, down: null });
    await identify(project, "anna", { fine: 1e300 });
    const [big] = await eventsOf(project);
    assert.deepEqual(
      big?.properties.map(({ key, types }) => [key, types]),
      [
        ["down", { null: 1 }],
        ["fine", { number: 1 }],
      ],
    );
    assert.deepEqual(await traitsOf(project), { fine: [{ number: 1 }, 1, null] });
  });

  it("stay exact while they are folded", async () => {
    const project = await house.project();
    const elsewhere = await house.elsewhere(project);
    let isOver = false;
    const folding = (async () => {
      while (!isOver) {
        await applyDeltas(house.tidings.app);
        assert.deepEqual(await house.differences(), {});
      }
    })();
    const writers = Array.from({ length: 10 }, async (_, writer) => {
      const side = writer % 2 ? project : elsewhere;
      for (let turn = 0; turn < 30; turn++) {
        await track(side, `user ${turn % 7}`, `event ${turn % 3}`, { [`key ${turn % 2}`]: turn });
        await identify(side, `user ${turn % 7}`, { [`trait ${writer % 3}`]: turn % 2 ? "odd" : turn });
      }
    });
    await Promise.all(writers);
    isOver = true;
    await folding;
    const events = await eventsOf(project);
    assert.deepEqual(
      events.map(({ name, users, occurrences }) => [name, users, occurrences]),
      [0, 1, 2].map((event) => [`event ${event}`, 7, 100]),
    );
    assert.equal(await countDeltas(project), 0);
  });
});

describe("traits", () => {
  it("follow a user from type to type and value to value", async () => {
    const project = await house.project();
    const steps: readonly [unknown, unknown][] = [
      ["pro", [{ string: 1 }, 1, ["pro"]]],
      ["free", [{ string: 1 }, 1, ["free"]]],
      [5, [{ number: 1 }, 1, null]],
      [null, undefined],
      [["pro"], [{ array: 1 }, 1, null]],
      [{ deep: "pro" }, [{ object: 1 }, 1, null]],
      [false, [{ boolean: 1 }, 1, null]],
      ["", [{ string: 1 }, 1, null]],
      ["x".repeat(40), [{ string: 1 }, 1, ["x".repeat(40)]]],
      ["x".repeat(41), [{ string: 1 }, 1, null]],
    ];
    for (const [value, expected] of steps) {
      await identify(project, "anna", { plan: value });
      assert.deepEqual((await traitsOf(project)).plan, expected, JSON.stringify(value));
    }
    await identify(project, "ben", { plan: "pro", city: "Rome" });
    await identify(project, "carl", { plan: "pro" });
    assert.deepEqual(await traitsOf(project), {
      plan: [{ string: 3 }, 3, ["pro"]],
      city: [{ string: 1 }, 1, ["Rome"]],
    });
    assert.deepEqual(await traitsOf(await house.project()), {});
  });

  it("are not noted where nothing changes", async () => {
    const project = await house.project();
    await identify(project, "anna", { plan: "pro", seats: 3 });
    await traitsOf(project);
    for (const same of [{}, { plan: "pro" }, { seats: 3.0, plan: "pro" }])
      await identify(project, "anna", same);
    await project.sdk.identify({ body: { userId: "anna" } });
    assert.equal(await countDeltas(project), 0);
    // A user who is new is counted, as one without traits.
    await project.sdk.identify({ body: { userId: "new" } });
    assert.equal(await countDeltas(project), 1);
  });

  it("have their values counted up to fifty, and never again beyond", async () => {
    const project = await house.project();
    const name = (count: number, prefix: string) =>
      Promise.all(
        Array.from({ length: count }, (_, i) => identify(project, `u${i}`, { name: `${prefix} ${i}` })),
      );
    await name(50, "first");
    const values = async () => (await traitsOf(project)).name?.[2] as string[] | null;
    assert.equal((await values())?.length, 50);
    await name(50, "second");
    assert.ok((await values())?.every((value) => value.startsWith("second")));
    await identify(project, "one more", { name: "another" });
    assert.equal(await values(), null);
    await name(50, "the same");
    await Promise.all(Array.from({ length: 51 }, (_, i) => identify(project, `u${i}`, { name: "Ada" })));
    await identify(project, "one more", { name: "Ada" });
    assert.deepEqual((await traitsOf(project)).name, [{ string: 52 }, 52, null]);
    const kept = await house.database.kysely.selectFrom("traitValues").select("value").execute();
    assert.ok(kept.every(({ value }) => !/^(first|second|the same|Ada)/.test(value)));
  });

  it("are exact when two servers meet a new user at the same moment", async () => {
    const project = await house.project();
    const elsewhere = await house.elsewhere(project);
    for (let round = 0; round < 30; round++) {
      const userId = `new ${round}`;
      await Promise.all([
        identify(project, userId, { left: 1, both: "a" }),
        identify(elsewhere, userId, { right: true, both: "b" }),
        track(round % 2 ? project : elsewhere, userId, "met"),
      ]);
    }
    const { users } = await project.api.listUsers({ query: { perPage: 100 } });
    for (const { traits } of users) assert.deepEqual(Object.keys(traits).sort(), ["both", "left", "right"]);
    const { left, right, both } = await traitsOf(project);
    assert.deepEqual(
      [left, right],
      [
        [{ number: 30 }, 30, null],
        [{ boolean: 30 }, 30, null],
      ],
    );
    assert.deepEqual(both?.slice(0, 2), [{ string: 30 }, 30]);
  });
});

describe("the shape of an event", () => {
  it("is the same whatever the order of its keys", () => {
    assert.equal(shapeOf({ b: 1, a: null }), `[["a","null"],["b","number"]]`);
    assert.equal(shapeOf({ a: null, b: 2 }), `[["a","null"],["b","number"]]`);
    assert.equal(shapeOf({}), "[]");
  });
});

describe("the doctor", () => {
  /** Runs a statement on a healthy database, answers what the doctor then finds, and undoes the statement. */
  async function findings(breaking: string, mending: string): Promise<string[]> {
    await applyDeltas(house.tidings.app);
    const { rowCount } = await house.database.pool.query(breaking);
    assert.ok(rowCount, breaking);
    const found = Object.keys(await house.differences());
    await house.database.pool.query(mending);
    assert.deepEqual(await house.differences(), {});
    return found;
  }

  it("finds every counter that is wrong", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent: "paid" } });
    await launchCampaign(project, { goalId: goal.id });
    await identify(project, "anna", { plan: "pro" });
    const [message] = await messagesOf(project, "anna");
    await feedback(project, message?.deliveryId ?? "", "anna", "shown");
    await track(project, "anna", "paid", { amount: 5 });
    const ownRows = `project_id = '${project.projectId}'`;
    const broken: Record<string, string> = {
      "event_names.users": "event names: users and occurrences",
      "event_names.occurrences": "event names: users and occurrences",
      "event_days.count": "events by day",
      "event_properties.count": "event properties: occurrences by type",
      "trait_keys.users": "traits: users by type",
      "trait_values.users": "traits: users by value",
      "user_counts.users": "users: how many there are",
      "delivery_days.shown": "deliveries by day",
      "delivery_days.converted": "deliveries by day",
      "active_user_counts.users": "active users: each counter equals its rows",
    };
    for (const [column, check] of Object.entries(broken)) {
      const [table, name] = column.split(".");
      const found = await findings(
        `update ${table} set ${name} = ${name} + 1 where ${ownRows}`,
        `update ${table} set ${name} = ${name} - 1 where ${ownRows}`,
      );
      assert.deepEqual(found, [check], column);
    }
  });

  it("finds a note that is too many, and somebody half erased", async () => {
    const project = await house.project();
    await track(project, "anna", "paid");
    const { projectId } = project;
    const found = await findings(
      `insert into rollup_deltas (lane, project_id, facts) values (0, '${projectId}', '[["value", "plan", "pro", 1]]')`,
      `delete from rollup_deltas where project_id = '${projectId}'`,
    );
    assert.deepEqual(found, ["traits: users by value"]);
    const anonymised = `'00000000-0000-4000-8000-000000000000', '${projectId}'`;
    const others = [
      [`frozen_events (lane, user_key, project_id, name, last_at)`, `${anonymised}, 'x', 1`],
      [`active_users (lane, user_key, project_id, period)`, `${anonymised}, 202601`],
      [
        `erased_users (lane, user_key, project_id, erased_at)`,
        `(select user_key from users where project_id = '${projectId}'), '${projectId}', 1`,
      ],
    ] as const;
    const names = [
      ["deliveries: frozen events are of erased users whom a campaign had chosen"],
      ["active users: each counter equals its rows", "active users: each is known, or was erased"],
      ["erased users: nothing is left that tells who they were"],
    ];
    for (const [index, [table, values]] of others.entries()) {
      const lane = index === 2 ? `(select lane from users where project_id = '${projectId}')` : "0";
      const name = table.split(" ")[0];
      const only =
        index === 1 ? " and period = 202601 and user_key = '00000000-0000-4000-8000-000000000000'" : "";
      const half = await findings(
        `insert into ${table} values (${lane}, ${values})`,
        `delete from ${name} where project_id = '${projectId}'${only}`,
      );
      assert.deepEqual(half.sort(), names[index]?.toSorted(), table);
    }
  });
});
