import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer, Input } from "@tidings/client";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";

const house = testHouse();

type Query = NonNullable<Input<"listUsers">["query"]>;
type User = Answer<"getUser">["user"];

const DAY = 86_400_000;

const list = ({ agent }: TestProject, query: Query = {}) => agent.listUsers({ query });

const namesOf = async (project: TestProject, query: Query = {}): Promise<string[]> =>
  (await list(project, query)).users.map(({ externalUserId }) => externalUserId);

async function identify(project: TestProject, userId: string, traits = {}): Promise<User> {
  await project.sdk.identify({ body: { userId, traits } });
  return (await project.api.getUser({ path: { id: userId } })).user;
}

/** The users first seen last come first; within one millisecond by id, descending. */
const inOrder = (users: readonly User[]): string[] =>
  users
    .toSorted((a, b) => b.firstSeenAt - a.firstSeenAt || (a.id < b.id ? 1 : -1))
    .map(({ externalUserId }) => externalUserId);

describe("getUser", () => {
  it("answers a user by the customer's id and by ours", async () => {
    const { api, agent, sdk } = await house.project();
    const traits = { plan: "pro", 名前: ["アンナ", { a_b: null }], seats: 1.5, $browser: "Firefox" };
    const firstSeenAt = house.now();
    await sdk.identify({ body: { userId: "ânna@例え.jp 🎉/?%", traits } });
    house.advance(500);
    await sdk.track({ body: { userId: "ânna@例え.jp 🎉/?%", event: "paid" } });
    const { user } = await agent.getUser({ path: { id: "ânna@例え.jp 🎉/?%" } });
    assert.match(user.id, /^eu_[0-9a-f-]{36}$/);
    assert.deepEqual(user, {
      id: user.id,
      externalUserId: "ânna@例え.jp 🎉/?%",
      traits,
      firstSeenAt,
      lastSeenAt: house.now(),
      isVisitor: false,
    });
    assert.deepEqual(await api.getUser({ path: { id: user.id } }), { user, identities: [] });
  });

  it("knows whoever was tracked or imported, with the times of the events", async () => {
    const project = await house.project();
    const now = house.now();
    const ts = [now - 2 * DAY, now - 3 * DAY, now - DAY];
    await project.api.trackBatch({
      body: { events: ts.map((at) => ({ userId: "anna", event: "paid", ts: at })) },
    });
    const { user } = await project.api.getUser({ path: { id: "anna" } });
    assert.deepEqual(user.traits, {});
    assert.deepEqual([user.firstSeenAt, user.lastSeenAt], [now - 3 * DAY, now - DAY]);
  });

  it("is not misled by an own id that looks like one of ours", async () => {
    const project = await house.project();
    const anna = await identify(project, "anna");
    await project.sdk.identify({ body: { userId: anna.id, traits: { shadow: true } } });
    assert.deepEqual((await project.api.getUser({ path: { id: anna.id } })).user, anna);
    // The other user has as external id the first one's `eu_` id, and is found by its own.
    const { users } = await list(project, { traitKey: "shadow", traitValue: "true" });
    const [shadow] = users;
    assert.ok(shadow && shadow.externalUserId === anna.id);
    assert.deepEqual((await project.api.getUser({ path: { id: shadow.id } })).user, shadow);
    const free = "eu_019b0000-0000-7000-8000-000000000000";
    assert.equal((await identify(project, free)).externalUserId, free);
  });

  it("finds an own id to the letter, up to 256 characters", async () => {
    const project = await house.project();
    for (const id of ["🎉".repeat(256), "x".repeat(256), "eu_", "eu_x", "..."])
      assert.equal((await identify(project, id)).externalUserId, id);
    await identify(project, "anna");
    for (const id of ["Anna", "anna ", " anna", "ann", "anna%", "nobody"]) {
      const { status, error } = await refusal(project.api.getUser({ path: { id } }));
      assert.deepEqual([status, error], [404, "User not found"], id);
    }
    assert.equal((await refusal(project.api.getUser({ path: { id: "x".repeat(257) } }))).status, 400);
  });

  it("does not see users of another project, by either id", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    const theirs = await identify(other, "anna");
    for (const id of ["anna", theirs.id])
      assert.equal((await refusal(mine.api.getUser({ path: { id } }))).status, 404);
    const own = await identify(mine, "anna", { mine: true });
    assert.notEqual(own.id, theirs.id);
    assert.deepEqual((await other.api.getUser({ path: { id: "anna" } })).user, theirs);
  });

  it("leaves the path of the summary to the summary", async () => {
    const project = await house.project();
    await project.sdk.identify({ body: { userId: "summary" } });
    const [user] = (await list(project)).users;
    assert.ok(user);
    assert.deepEqual((await project.api.getUser({ path: { id: user.id } })).user.externalUserId, "summary");
    assert.equal((await project.api.getUserSummary()).totalUsers, 1);
  });
});

describe("listUsers", () => {
  it("answers those first seen last before the others, page by page", async () => {
    const project = await house.project();
    const made: User[] = [];
    for (let i = 0; i < 61; i++) {
      if (i % 15 === 0) house.advance(1);
      made.push(await identify(project, `user ${i}`));
    }
    const names = inOrder(made);
    assert.deepEqual(await namesOf(project), names.slice(0, 50));
    assert.deepEqual(await namesOf(project, { page: 2 }), names.slice(50));
    const found: string[] = [];
    for (let page = 1; page <= 9; page++) found.push(...(await namesOf(project, { perPage: 7, page })));
    assert.deepEqual(found, names);
    const { users, ...rest } = await list(project, { perPage: 7, page: 10 });
    assert.deepEqual(
      [users, rest],
      [[], { total: 61, page: 10, pageCount: 9, nextCursor: null, searchedAll: true }],
    );
    const [first] = (await list(project)).users;
    assert.deepEqual(
      first,
      made.find(({ id }) => id === first?.id),
    );
  });

  it("keeps its order while users are seen again, and shows newcomers first", async () => {
    const project = await house.project();
    const made: User[] = [];
    const add = async (count: number) => {
      for (let i = 0; i < count; i++) made.push(await identify(project, `user ${made.length}`));
    };
    await add(25);
    for (let page = 1; page <= 4; page++) {
      const answer = await list(project, { page, perPage: 10 });
      const expected = inOrder(made).slice((page - 1) * 10, page * 10);
      assert.deepEqual(
        answer.users.map(({ externalUserId }) => externalUserId),
        expected,
      );
      assert.equal(answer.total, made.length);
      house.advance(page % 2);
      for (const userId of expected) await project.sdk.track({ body: { userId, event: "back" } });
      await add(3);
    }
  });

  it("finds part of an id or of the traits, whatever its case, and takes it literally", async () => {
    const project = await house.project();
    await identify(project, "anna@例え.jp", { plan: "Pro", note: "50% off" });
    await identify(project, "BEN_1", { plan: "free", city: "Zürich" });
    await identify(project, "ben21", { deep: { list: ["Needle"] } });
    const found = async (q: string) => (await namesOf(project, { q })).toSorted();
    assert.deepEqual(await found("ben"), ["BEN_1", "ben21"]);
    assert.deepEqual(await found("N_1"), ["BEN_1"]);
    assert.deepEqual(await found("0%"), ["anna@例え.jp"]);
    assert.deepEqual(await found("例え"), ["anna@例え.jp"]);
    assert.deepEqual(await found("zÜRICH"), ["BEN_1"]);
    assert.deepEqual(await found("needle"), ["ben21"]);
    assert.deepEqual(await found("PLAN"), ["BEN_1", "anna@例え.jp"]);
    assert.deepEqual(await found("\\"), []);
    assert.equal((await found("")).length, 3);
  });

  it("compares a trait by the text of its value", async () => {
    const project = await house.project();
    const values: Record<string, unknown> = {
      text: "1.5",
      number: 1.5,
      whole: 3,
      yes: true,
      no: false,
      empty: "",
      nothing: null,
      list: ["a"],
      object: { a: 1 },
      色: "赤 🔴",
      "a.b": "dotted",
      quote: `it's "x"`,
    };
    for (const [key, value] of Object.entries(values))
      await identify(project, key, { [key]: value, v: value });
    const found = async (traitKey: string, traitValue: string) =>
      (await namesOf(project, { traitKey, traitValue })).toSorted();
    for (const [key, value] of [
      ["text", "1.5"] as const,
      ["number", "1.5"] as const,
      ["whole", "3"] as const,
      ["yes", "true"] as const,
      ["no", "false"] as const,
      ["empty", ""] as const,
      ["色", "赤 🔴"] as const,
      ["a.b", "dotted"] as const,
      ["quote", `it's "x"`] as const,
    ])
      assert.deepEqual(await found(key, value), [key]);
    assert.deepEqual(await found("v", "1.5"), ["number", "text"]);
    for (const [key, value] of [
      ["nothing", "null"] as const,
      ["list", '["a"]'] as const,
      ["object", '{"a": 1}'] as const,
      ["text", "1.50"] as const,
      ["yes", "True"] as const,
      ["a", "dotted"] as const,
      ["missing", ""] as const,
      ["0", "a"] as const,
      ["", ""] as const,
    ])
      assert.deepEqual(await found(key, value), [], key);
  });

  it("filters by when users were seen, each instant included, and by everything together", async () => {
    const project = await house.project();
    const start = house.now();
    const made: User[] = [];
    for (let i = 0; i < 6; i++) {
      house.at(start + i * 10);
      await identify(project, `user ${i}`, { even: i % 2 === 0 });
    }
    for (const i of [0, 1, 2]) {
      house.at(start + 100 + i);
      await project.sdk.track({ body: { userId: `user ${i}`, event: "back" } });
    }
    for (let i = 0; i < 6; i++) made.push((await project.api.getUser({ path: { id: `user ${i}` } })).user);
    const anyOf = <Value>(values: readonly Value[]) => [undefined, ...values];
    for (const firstSeenSince of anyOf([start + 20, start + 21]))
      for (const activeSince of anyOf([start + 40, start + 101]))
        for (const even of anyOf([true, false]))
          for (const q of anyOf(["2", "user"])) {
            const trait = even === undefined ? {} : { traitKey: "even", traitValue: String(even) };
            const query = JSON.parse(JSON.stringify({ firstSeenSince, activeSince, q, ...trait })) as Query;
            const expected = made.filter(
              (user) =>
                user.firstSeenAt >= (firstSeenSince ?? 0) &&
                user.lastSeenAt >= (activeSince ?? 0) &&
                user.externalUserId.includes(q ?? "") &&
                (even ?? user.traits.even) === user.traits.even,
            );
            assert.deepEqual(await namesOf(project, query), inOrder(expected), JSON.stringify(query));
            assert.equal((await list(project, { ...query, perPage: 1 })).total, expected.length);
          }
    assert.equal((await list(project, { firstSeenSince: "2026-01-01" })).total, 6);
    assert.equal((await list(project, { activeSince: "2999-01-01T00:00:00Z" })).total, 0);
  });

  it("shows users of its own project only", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    await identify(other, "anna", { plan: "pro" });
    for (const query of [{}, { q: "anna" }, { traitKey: "plan", traitValue: "pro" }, { activeSince: 0 }])
      assert.deepEqual(await list(mine, query), {
        users: [],
        total: 0,
        page: 1,
        pageCount: 0,
        nextCursor: null,
        searchedAll: true,
      });
  });

  const refused: readonly [string, Record<string, unknown>, string?][] = [
    ["q", { q: "x".repeat(257) }, "q must be at most 256 characters"],
    ["traitKey", { traitKey: "x".repeat(201), traitValue: "" }],
    ["traitValue", { traitKey: "plan", traitValue: "🎉".repeat(201) }],
    ["traitValue", { traitKey: "plan" }, "traitValue must be given together with traitKey"],
    ["traitKey", { traitValue: "pro" }, "traitKey must be given together with traitValue"],
    ["activeSince", { activeSince: "soon" }],
    ["firstSeenSince", { firstSeenSince: "2026-01-15T12:00" }],
    ["page", { page: "x" }],
    ["perPage", { perPage: 0 }],
  ];
  for (const [field, query, message] of refused) {
    it(`refuses ${JSON.stringify(query).slice(0, 40)}`, async () => {
      const project = await house.project();
      const { status, error } = await refusal(list(project, query as Query));
      assert.deepEqual([status, error.startsWith(`${field} must `)], [400, true], error);
      assert.equal(error, message ?? error);
    });
  }
});

describe("getUserSummary", () => {
  it("counts all, and the active and new ones of seven days, to the millisecond", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const none = { totalUsers: 0, activeUsers: 0, newUsers: 0, visitors: 0 };
    const now = house.now();
    const frame = { evaluatedAt: now, window: "7d" as const, startAt: now - 7 * DAY };
    assert.deepEqual(await project.agent.getUserSummary(), { ...frame, ...none });
    const seen = async (userId: string, ...instants: number[]) =>
      project.api.trackBatch({ body: { events: instants.map((ts) => ({ userId, event: "paid", ts })) } });
    await seen("just out", frame.startAt - 1);
    await seen("just in", frame.startAt);
    await seen("old and active", frame.startAt - DAY, now);
    await seen("new", now);
    await identify(other, "elsewhere");
    const expected = { ...frame, totalUsers: 4, activeUsers: 3, newUsers: 2, visitors: 0 };
    assert.deepEqual(await project.api.getUserSummary({ query: { window: "7d" } }), expected);
  });

  it("knows one window", async () => {
    const { api } = await house.project();
    const { status, error } = await refusal(api.getUserSummary({ query: { window: "30d" as "7d" } }));
    assert.deepEqual([status, error], [400, "window must be 7d"]);
  });
});

describe("users", () => {
  it("leave no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
