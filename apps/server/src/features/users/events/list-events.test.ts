import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer, Input } from "@tidings/client";
import fc from "fast-check";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { userRef } from "../../../domain/ids.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";

const house = testHouse();

type Query = NonNullable<Input<"listEvents">["query"]>;
type Event = Answer<"listEvents">["events"][number];
type NewEvent = { userId: string; event: string; ts: number; eventId: string };

const list = ({ agent }: TestProject, query: Query = {}) => agent.listEvents({ query });

let events = 0;
/** Makes an event with the next event id; ids sort in the order in which they are made. */
const newEvent = (userId: string, event: string, ts: number): NewEvent => ({
  userId,
  event,
  ts,
  eventId: `event-${String(events++).padStart(6, "0")}`,
});

/** Imports events, 500 at a time; every one must be taken. */
async function importEvents({ api }: TestProject, made: readonly NewEvent[]): Promise<void> {
  for (let from = 0; from < made.length; from += 500) {
    const { results } = await api.trackBatch({ body: { events: made.slice(from, from + 500) } });
    assert.ok(results.every(({ ok }) => ok));
  }
}

const descending = (a: string, b: string): number => (a < b ? 1 : a > b ? -1 : 0);

/** Newest first; within one millisecond by user key and event id, descending. */
function inOrder({ projectId }: TestProject, made: readonly NewEvent[]): NewEvent[] {
  const keyOf = ({ userId }: NewEvent) => userRef(projectId, userId).userKey;
  return made.toSorted(
    (a, b) => b.ts - a.ts || descending(keyOf(a), keyOf(b)) || descending(a.eventId, b.eventId),
  );
}

const brief = ({ externalUserId, name, ts }: Event): string => `${externalUserId} ${name} ${ts}`;
const briefNew = ({ userId, event, ts }: NewEvent): string => `${userId} ${event} ${ts}`;

describe("listEvents", () => {
  it("answers what was recorded, with null where there were no props", async () => {
    const project = await house.project();
    const props = { $pathname: "/", 名前: ["アンナ 🎉", null, 1.5], snake_case: { a_b: true } };
    await project.sdk.track({ body: { userId: "ânna@例え.jp", event: "signed up 🎉", props } });
    house.advance(1);
    await project.sdk.track({ body: { userId: "ben", event: "paid" } });
    const { events: found, ...rest } = await list(project);
    assert.deepEqual(rest, { total: 2, page: 1, pageCount: 1, nextCursor: null });
    const [paid, signedUp] = found;
    assert.ok(paid && signedUp);
    for (const { id } of found) assert.match(id, /^ev_[0-9a-f-]{36}$/);
    const { user } = await project.api.getUser({ path: { id: "ânna@例え.jp" } });
    assert.deepEqual(signedUp, {
      id: signedUp.id,
      name: "signed up 🎉",
      props,
      ts: house.now() - 1,
      endUserId: user.id,
      externalUserId: "ânna@例え.jp",
    });
    assert.deepEqual([paid.externalUserId, paid.props, paid.ts], ["ben", null, house.now()]);
    assert.deepEqual((await list(project)).events, found);
  });

  it("gives every event an id of its own, the same sender's id for two users too", async () => {
    const [one, two] = [await house.project(), await house.project()];
    for (const project of [one, two])
      for (const userId of ["anna", "ben"])
        for (const eventId of ["1", "2", "x".repeat(128)])
          await project.sdk.track({ body: { userId, event: "paid", eventId } });
    const ids = (await Promise.all([one, two].map((project) => list(project)))).flatMap((answer) =>
      answer.events.map(({ id }) => id),
    );
    assert.deepEqual([ids.length, new Set(ids).size], [12, 12]);
  });

  it("pages through a millisecond of many users, with no event twice and none left out", async () => {
    const project = await house.project();
    const ts = house.now();
    const made = Array.from({ length: 61 }, (_, i) =>
      newEvent(`user ${i % 7}`, "paid", ts - Math.floor(i / 30)),
    );
    await importEvents(project, made);
    const expected = inOrder(project, made).map(briefNew);
    const found: string[] = [];
    const ids = new Set<string>();
    for (let page = 1; page <= 9; page++) {
      const answer = await list(project, { page, perPage: 7 });
      assert.deepEqual([answer.total, answer.page, answer.pageCount], [61, page, 9]);
      found.push(...answer.events.map(brief));
      for (const { id } of answer.events) ids.add(id);
    }
    assert.deepEqual(found, expected);
    assert.equal(ids.size, 61);
    assert.deepEqual((await list(project)).events.map(brief), expected.slice(0, 50));
    assert.deepEqual((await list(project, { page: 1_000_000, perPage: 100 })).events, []);
  });

  it("counts any span of days exactly, and goes through it by cursors", async () => {
    const project = await house.project();
    const today = Math.floor(house.now() / DAY_MS) * DAY_MS;
    const offsets = [0, 1, DAY_MS - 1, DAY_MS / 2];
    const made = Array.from({ length: 120 }, (_, i) =>
      newEvent(
        `user ${i % 5}`,
        i % 3 === 0 ? "paid" : "🎉".repeat(2),
        today - (i % 9) * DAY_MS - (offsets[i % 4] ?? 0),
      ),
    );
    await importEvents(project, made);
    const instant = fc.option(
      fc.tuple(fc.integer({ min: -10, max: 1 }), fc.constantFrom(-1, 0, 1, DAY_MS / 2, DAY_MS / 2 + 1)),
      { nil: undefined },
    );
    const property = fc.asyncProperty(
      instant,
      instant,
      fc.constantFrom({}, { name: "paid" }, { q: "🎉" }, { externalUserId: "user 3" }),
      fc.integer({ min: 1, max: 40 }),
      async (from, to, filter: { name?: string; q?: string; externalUserId?: string }, perPage) => {
        const at = (place: [number, number] | undefined) =>
          place === undefined ? undefined : today + place[0] * DAY_MS + place[1];
        const [since, until] = [at(from), at(to)];
        const expected = made.filter(
          ({ ts, event, userId }) =>
            ts >= (since ?? ts) &&
            ts <= (until ?? ts) &&
            (filter.name ?? event) === event &&
            event.includes(filter.q ?? "") &&
            (filter.externalUserId ?? userId) === userId,
        );
        const query = JSON.parse(JSON.stringify({ ...filter, since, until, perPage })) as Query;
        const found: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const answer = await list(project, { ...query, ...(cursor !== undefined && { cursor }) });
          assert.equal(answer.total, expected.length);
          found.push(...answer.events.map(brief));
          cursor = answer.nextCursor;
        }
        assert.deepEqual(found, inOrder(project, expected).map(briefNew));
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it("filters by each field and by all together, with exact totals", async () => {
    const project = await house.project();
    const start = house.now() - 10_000;
    const names = ["paid", "Paid", "paid_back", "page_viewed", "bezahlt 🎉"];
    const made = Array.from({ length: 90 }, (_, i) =>
      newEvent(`user ${i % 4}`, names[i % 5] ?? "", start + Math.floor(i / 9)),
    );
    await importEvents(project, made);
    const ids = new Map<string, string>();
    for (let i = 0; i < 4; i++)
      ids.set((await project.api.getUser({ path: { id: `user ${i}` } })).user.id, `user ${i}`);
    const anyOf = <Value>(values: readonly Value[]) => [undefined, ...values];
    for (const named of [{}, { name: "paid" }, { name: "bezahlt 🎉" }, { q: "PAID" }, { q: "" }])
      for (const userId of anyOf([...ids.keys()].slice(0, 2)))
        for (const externalUserId of anyOf(["user 1"]))
          for (const since of anyOf([start + 3]))
            for (const until of anyOf([start + 3, start + 7])) {
              const { name, q }: { name?: string; q?: string } = named;
              const expected = made.filter(
                ({ event, userId: user, ts }) =>
                  (name ?? event) === event &&
                  event.toLowerCase().includes((q ?? "").toLowerCase()) &&
                  (userId === undefined || ids.get(userId) === user) &&
                  (externalUserId ?? user) === user &&
                  ts >= (since ?? 0) &&
                  ts <= (until ?? ts),
              );
              const given = { ...named, userId, externalUserId, since, until, perPage: 100 };
              const query = JSON.parse(JSON.stringify(given)) as Query;
              const answer = await list(project, query);
              assert.deepEqual(
                answer.events.map(brief),
                inOrder(project, expected).map(briefNew),
                JSON.stringify(query),
              );
              assert.equal(answer.total, expected.length);
            }
  });

  it("takes part of a name literally", async () => {
    const project = await house.project();
    for (const event of ["100% off", "100 off", "under_score", "underXscore", "back\\slash", "Été"])
      await project.sdk.track({ body: { userId: "anna", event } });
    const found = async (q: string) => (await list(project, { q })).events.map(({ name }) => name).toSorted();
    assert.deepEqual(await found("0%"), ["100% off"]);
    assert.deepEqual(await found("R_s"), ["under_score"]);
    assert.deepEqual(await found("\\"), ["back\\slash"]);
    assert.deepEqual(await found("éTÉ"), ["Été"]);
    assert.deepEqual(await found("x".repeat(200)), []);
  });

  it("takes instants as numbers and as ISO-8601, each included", async () => {
    const project = await house.project();
    const midnight = Date.UTC(2026, 0, 15);
    house.at(Math.max(house.now(), midnight + 12 * 3_600_000));
    await importEvents(project, [
      newEvent("anna", "before", midnight - 1),
      newEvent("anna", "at", midnight),
      newEvent("anna", "after", midnight + 1),
    ]);
    const names = async (query: Query) => (await list(project, query)).events.map(({ name }) => name);
    for (const since of [midnight, "2026-01-15", "2026-01-15T00:00:00Z", "2026-01-15T01:00+01:00"])
      assert.deepEqual(await names({ since }), ["after", "at"], String(since));
    for (const until of [midnight, "2026-01-15"])
      assert.deepEqual(await names({ until }), ["at", "before"], String(until));
    assert.deepEqual(await names({ since: "2026-01-15", until: "2026-01-15" }), ["at"]);
    assert.deepEqual(await names({ since: midnight + 1, until: midnight }), []);
  });

  it("finds a name among few and among many, with the same order", async () => {
    const project = await house.project();
    const ts = house.now() - 5_000;
    const made = Array.from({ length: 2_600 }, (_, i) =>
      newEvent(`user ${i % 97}`, i % 6 === 0 ? "seldom" : "often", ts + (i % 41)),
    );
    await importEvents(project, made);
    for (const name of ["seldom", "often"]) {
      const expected = inOrder(
        project,
        made.filter(({ event }) => event === name),
      ).map(briefNew);
      for (const query of [{ name }, { q: name.toUpperCase() }]) {
        for (const page of [1, 2, 5]) {
          const answer = await list(project, { ...query, page, perPage: 100 });
          assert.deepEqual(answer.events.map(brief), expected.slice((page - 1) * 100, page * 100));
          assert.equal(answer.total, expected.length);
        }
      }
    }
    assert.equal((await list(project)).total, made.length);
  });

  it("counts a repeat of an eventId once", async () => {
    const project = await house.project();
    for (let i = 0; i < 3; i++)
      await project.sdk.track({ body: { userId: "anna", event: "paid", eventId: "order-1" } });
    for (const query of [{}, { name: "paid" }, { since: 0 }])
      assert.equal((await list(project, query)).total, 1);
  });

  it("shows nothing of another project, nor by its users", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    await other.sdk.track({ body: { userId: "anna", event: "paid" } });
    const [event] = (await list(other)).events;
    assert.ok(event);
    const queries: readonly Query[] = [
      {},
      { name: "paid" },
      { q: "p" },
      { externalUserId: "anna" },
      { since: 0 },
      { userId: event.endUserId },
      { userId: event.endUserId, since: 0 },
    ];
    for (const query of queries) {
      assert.deepEqual(await list(mine, query), {
        events: [],
        total: 0,
        page: 1,
        pageCount: 0,
        nextCursor: null,
      });
      assert.equal((await list(other, query)).total, 1);
    }
    for (const userId of ["anna", "", "eu_x", event.endUserId.slice(3), event.endUserId.toUpperCase()])
      assert.equal((await list(other, { userId })).total, 0, userId);
  });

  it("answers each page as the list stands at that moment, while events come in", async () => {
    const project = await house.project();
    const made: NewEvent[] = [];
    const add = async (count: number, ts: number) => {
      const more = Array.from({ length: count }, (_, i) => newEvent(`user ${i % 3}`, "paid", ts));
      await importEvents(project, more);
      made.push(...more);
    };
    await add(25, house.now() - 1_000);
    for (let page = 1; page <= 4; page++) {
      const answer = await list(project, { page, perPage: 10 });
      const expected = inOrder(project, made).map(briefNew);
      assert.deepEqual(answer.events.map(brief), expected.slice((page - 1) * 10, page * 10));
      assert.equal(answer.total, made.length);
      // Some events happen now, others are imported with a time in the past.
      await add(2, house.now());
      await add(2, house.now() - 1_000 * page);
    }
  });

  it("never drops or repeats an event below an instant, however many come in at once", async () => {
    const project = await house.project();
    const until = house.now() - 1;
    const made = Array.from({ length: 60 }, (_, i) => newEvent(`user ${i}`, "paid", until - (i % 5)));
    await importEvents(project, made);
    let isPaging = true;
    const coming = Array.from({ length: 4 }, async (_, i) => {
      while (isPaging) await project.sdk.track({ body: { userId: `visitor ${i}`, event: "paid" } });
    });
    const found: string[] = [];
    for (let page = 1; page <= 6; page++)
      found.push(...(await list(project, { until, page, perPage: 10 })).events.map(brief));
    isPaging = false;
    await Promise.all(coming);
    assert.deepEqual(found, inOrder(project, made).map(briefNew));
    const { total } = await list(project, { q: "paid" });
    assert.equal(total, (await list(project, { since: 0 })).total);
  });

  const refused: readonly [string, Record<string, unknown>, string?][] = [
    ["name", { name: "x".repeat(81) }, "name must be at most 80 characters"],
    ["q", { q: "x".repeat(201) }],
    ["q", { name: "paid", q: "paid" }, "q must not be given together with name"],
    ["q", { name: "", q: "" }],
    ["userId", { userId: "x".repeat(257) }],
    ["externalUserId", { externalUserId: "🎉".repeat(257) }],
    ["since", { since: "yesterday" }],
    ["since", { since: "2026-02-30" }],
    ["since", { since: "2026-01-15T12:00:00" }],
    ["until", { until: "" }],
    ["until", { until: -1 }],
    ["page", { page: 0 }],
    ["perPage", { perPage: 101 }],
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

describe("events", () => {
  it("leave no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
