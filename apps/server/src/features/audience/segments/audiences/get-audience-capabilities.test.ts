import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer } from "@tidings/client";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { OPERATORS } from "../../language/schema.ts";

const house = testHouse();

type Capabilities = Answer<"getAudienceCapabilities">["capabilities"];

const read = async ({ api }: TestProject): Promise<Capabilities> =>
  (await api.getAudienceCapabilities()).capabilities;
const identify = ({ sdk }: TestProject, userId: string, traits: Record<string, unknown>) =>
  sdk.identify({ body: { userId, traits } });
const track = ({ sdk }: TestProject, userId: string, event: string, props?: Record<string, unknown>) =>
  sdk.track({ body: { userId, event, ...(props === undefined ? {} : { props }) } });

/** Calls for each number below `count`, fifty at a time. */
async function many(count: number, call: (index: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - from) }, (_, i) => call(from + i)));
}

describe("getAudienceCapabilities", () => {
  it("tells the language with its limits, in any project", async () => {
    const { expression, lifecycleFields, ...seen } = await read(await house.project());
    assert.deepEqual(seen, { traits: [], events: [], traitsTruncated: false, eventsTruncated: false });
    assert.deepEqual(lifecycleFields, [
      { field: "firstSeenAt", type: "datetime" },
      { field: "lastSeenAt", type: "datetime" },
    ]);
    const { operators, limits, ...rest } = expression;
    assert.deepEqual(rest, {
      versions: [1],
      nodeKinds: ["all", "any", "not", "field", "event", "message"],
      messageDeeds: {
        web_inapp: ["received", "clicked", "dismissed"],
        email: ["received", "opened", "clicked"],
        push: ["received", "opened", "clicked"],
      },
      fieldKinds: ["trait", "user", "event_property"],
      countOperators: ["eq", "neq", "gt", "gte", "lt", "lte"],
      windowUnits: ["minutes", "hours", "days"],
      userFields: ["id", "firstSeenAt", "lastSeenAt"],
    });
    const inTime = ["before", "after", "within_last", "not_within_last", "within_next", "not_within_next"];
    assert.deepEqual(operators.datetime, ["exists", "not_exists", ...inTime]);
    assert.deepEqual(
      operators.string?.filter((op) => inTime.includes(op)),
      inTime,
    );
    const ofTexts = ["eq", "neq", "in", "not_in", "contains", "starts_with", "ends_with"];
    assert.deepEqual(operators.id, ofTexts);
    assert.deepEqual(new Set(Object.values(operators).flat()), new Set(OPERATORS));
    assert.ok(limits.maxEvaluatedEventOccurrences && limits.maxEvaluatedEventOccurrences > 10_000);
    assert.deepEqual([limits.maxDepth, limits.maxNodes, limits.maxChildren], [8, 64, 16]);
  });

  it("counts traits by type, with the values of short ones, by reach", async () => {
    const project = await house.project();
    await identify(project, "ada", { plan: "pro", seats: 5, note: "x".repeat(41), gone: null });
    await identify(project, "bo", { plan: "free", seats: "5", tags: ["a"] });
    await identify(project, "cy", { plan: "pro", seats: 6, nested: { a: 1 } });
    await identify(project, "di", { plan: true });
    const { traits } = await read(project);
    assert.deepEqual(traits, [
      { key: "plan", types: { string: 3, boolean: 1 }, users: 4, values: ["pro", "free"] },
      { key: "seats", types: { number: 2, string: 1 }, users: 3, values: ["5"] },
      { key: "nested", types: { object: 1 }, users: 1 },
      { key: "note", types: { string: 1 }, users: 1 },
      { key: "tags", types: { array: 1 }, users: 1 },
    ]);
  });

  it("follows every change of a trait", async () => {
    const project = await house.project();
    const plan = async () => (await read(project)).traits.find(({ key }) => key === "plan");
    await identify(project, "ada", { plan: "pro" });
    await identify(project, "bo", { plan: "pro" });
    assert.deepEqual(await plan(), { key: "plan", types: { string: 2 }, users: 2, values: ["pro"] });
    await identify(project, "ada", { plan: 5 });
    assert.deepEqual(await plan(), {
      key: "plan",
      types: { number: 1, string: 1 },
      users: 2,
      values: ["pro"],
    });
    await identify(project, "bo", { plan: null });
    assert.deepEqual((await plan())?.users, 1);
    await identify(project, "ada", { plan: null });
    assert.equal(await plan(), undefined);
  });

  it("counts events with their properties by type, by reach", async () => {
    const project = await house.project();
    const start = house.now();
    await track(project, "ada", "paid", { amount: 5, currency: "EUR" });
    house.advance(10);
    await track(project, "ada", "paid", { amount: "5" });
    await track(project, "bo", "paid", { coupon: null });
    await track(project, "bo", "opened");
    house.advance(10);
    const { events } = await read(project);
    assert.deepEqual(events, [
      {
        name: "paid",
        users: 2,
        occurrences: 3,
        lastSeenAt: start + 10,
        propertiesTruncated: false,
        properties: [
          { key: "amount", types: { number: 1, string: 1 } },
          { key: "coupon", types: { null: 1 } },
          { key: "currency", types: { string: 1 } },
        ],
      },
      {
        name: "opened",
        users: 1,
        occurrences: 1,
        lastSeenAt: start + 10,
        propertiesTruncated: false,
        properties: [],
      },
    ]);
  });

  it("counts a repeated event once, and a refused one not at all", async () => {
    const project = await house.project();
    const body = { userId: "ada", event: "paid", eventId: "order-1", props: { amount: 5 } };
    await project.sdk.track({ body });
    await project.sdk.track({ body });
    assert.equal((await refusal(project.sdk.track({ body: { ...body, props: { amount: 6 } } }))).status, 409);
    assert.deepEqual(
      (await read(project)).events.map(({ occurrences, properties }) => [occurrences, properties]),
      [[1, [{ key: "amount", types: { number: 1 } }]]],
    );
  });

  it("is exact after many requests at once", async () => {
    const project = await house.project();
    await many(300, (i) =>
      i % 3 === 0
        ? identify(project, `user ${i % 20}`, { plan: `plan ${i % 20}`, seats: i % 20 })
        : track(project, `user ${i % 20}`, `event ${i % 2}`, { sum: i }),
    );
    const { traits, events } = await read(project);
    assert.deepEqual(
      traits.map(({ key, types }) => [key, types]),
      [
        ["plan", { string: 20 }],
        ["seats", { number: 20 }],
      ],
    );
    assert.deepEqual(
      events.map(({ name, users, occurrences }) => [name, users, occurrences]),
      [
        ["event 0", 10, 100],
        ["event 1", 10, 100],
      ],
    );
    assert.deepEqual(await house.differences(), {});
  });

  it("tells nothing of another project", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    await identify(other, "ada", { plan: "pro" });
    await track(other, "ada", "paid", { amount: 5 });
    const { traits, events } = await read(mine);
    assert.deepEqual([traits, events], [[], []]);
    await track(mine, "ada", "paid", { sum: "5" });
    assert.deepEqual(
      (await read(mine)).events.map(({ users, properties }) => [users, properties]),
      [[1, [{ key: "sum", types: { string: 1 } }]]],
    );
  });

  it("says where it left something out, and what reaches most stays", async () => {
    const project = await house.project();
    await many(500, (i) => track(project, `user ${i % 10}`, `event ${i}`));
    const traits = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`t${i}`, i]));
    for (let group = 0; group < 5; group++) {
      const renamed = Object.entries(traits).map(([key, value]) => [`${key}-${group}`, value]);
      await identify(project, `user ${group}`, Object.fromEntries(renamed));
    }
    const full = await read(project);
    assert.deepEqual([full.traits.length, full.traitsTruncated], [500, false]);
    assert.deepEqual([full.events.length, full.eventsTruncated], [500, false]);
    for (const userId of ["ada", "bo"]) {
      await identify(project, userId, { zz: 1 });
      for (let event = 0; event < 3; event++)
        await track(
          project,
          userId,
          "zz",
          Object.fromEntries(Array.from({ length: 34 }, (_, i) => [`p${event}-${i}`, i])),
        );
    }
    const cut = await read(project);
    assert.deepEqual([cut.traits.length, cut.traitsTruncated, cut.traits[0]?.key], [500, true, "zz"]);
    assert.deepEqual([cut.events.length, cut.eventsTruncated, cut.events[0]?.name], [500, true, "zz"]);
    assert.deepEqual([cut.events[0]?.properties.length, cut.events[0]?.propertiesTruncated], [100, true]);
    assert.equal(cut.events[1]?.propertiesTruncated, false);
  });

  it("is for the secret key and the agent's", async () => {
    const { agent, sdk } = await house.project();
    assert.ok(await agent.getAudienceCapabilities());
    assert.equal((await refusal(sdk.getAudienceCapabilities())).status, 403);
  });
});
