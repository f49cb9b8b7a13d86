import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type RawBuilder, sql } from "kysely";
import { isTrueOf } from "../../../../../test/audience/meaning.ts";
import { type Person, storePeople } from "../../../../../test/audience/people.ts";
import {
  randomEvents,
  randomExpression,
  randomMessages,
  randomUser,
  type SomeCampaigns,
  seeded,
} from "../../../../../test/audience/random.ts";
import { comparisons, idsOf, NEARLY_TIMES, observedValues } from "../../../../../test/audience/values.ts";
import { type TestProject, testHouse } from "../../../../../test/harness.ts";
import { MESSAGE, PUSH } from "../../../../../test/push.ts";
import { type UserRef, userRef } from "../../../../domain/ids.ts";
import { rowsStatement } from "../../../../platform/db/statements/statement.ts";
import { parseIso } from "../../../../platform/http/contract/instants.ts";
import { readForNeeds } from "../../../web/feed-store.ts";
import { parseExpression } from "../parse/parse.pure.ts";
import { canonical } from "../rules.ts";
import type { AudienceExpression, AudienceNode } from "../schema.ts";
import { type CompiledAudience, compile, type UserFacts } from "./compile.pure.ts";
import { MAX_READ_EVENTS, occurrencesJoin, readFacts } from "./facts-store.ts";
import { matchingUsersIn } from "./key-range-store.ts";
import { countMatching, countNodesMatching, matchingUsers, sampleMatching } from "./matching-store.ts";
import { Needs } from "./needs.pure.ts";
import { trace } from "./trace.pure.ts";

const house = testHouse();

const USERS = 120;
/** What counts say beside, where there are none. */
const NO_VISITORS = { matchedVisitors: 0, totalVisitors: 0 };
const TREES = 400;
const EVALUATED_AT = Date.UTC(2026, 2, 1, 12);
const SEED = Number(process.env.TIDINGS_SEED ?? 20_261_120);

type Question = {
  lane: number;
  userKey: string;
  projectId: string;
  evaluatedAt: number;
  needs: string | null;
};

/** The facts of many users, as the feed reads them: prepared, many rows in one statement. */
const readMany = rowsStatement<
  Question,
  {
    externalId: string;
    traits: Record<string, unknown>;
    firstSeenAt: number;
    lastSeenAt: number;
    counts: Record<string, number> | null;
    occurrences: number[] | null;
  }
>(
  { name: "test_facts", reach: "key" },
  { lane: "int2", userKey: "uuid", projectId: "uuid", evaluatedAt: "int8", needs: "jsonb" },
  ` select u.external_id as "externalId", u.traits, u.first_seen_at as "firstSeenAt", u.last_seen_at as "lastSeenAt", o.occurrences, (
      select json_object_agg(c.name, c.count) from event_counts c
      where c.lane = i.lane and c.user_key = i.user_key and c.project_id = i.project_id
    ) as counts
  from input i
  join users u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
  ${occurrencesJoin("i")}
  order by i.ord`,
);

async function factsOf(projectId: string, people: readonly Person[], needs: Needs): Promise<UserFacts[]> {
  const questions = people.map(({ ref }) => ({
    ...ref,
    projectId,
    evaluatedAt: EVALUATED_AT,
    needs: needs.json(),
  }));
  // A statement of the hot pool has seconds, and hundreds of needs of each of these take a while.
  const few = Array.from({ length: Math.ceil(questions.length / 20) }, (_, at) =>
    questions.slice(at * 20, at * 20 + 20),
  );
  const rows = (await Promise.all(few.map((each) => readMany(house.database.hotPool, each)))).flat();
  return rows.map(({ counts, occurrences, ...row }) => ({
    ...row,
    eventCounts: counts ?? {},
    occurrences: occurrences ?? [],
  }));
}

/** How often each user meets each need, counted from what the feed reads. */
async function countsOf(projectId: string, people: readonly Person[], needs: Needs): Promise<number[][]> {
  const { reachMs, ...wanted } = needs.reading();
  const since = Number.isFinite(reachMs) ? EVALUATED_AT - reachMs : 0;
  const read = await readForNeeds(
    house.database.hotPool,
    people.map(({ ref }) => ({ ...ref, ...wanted, projectId, since })),
  );
  return read.map((each) => {
    const events = [...(each.timely ?? []), ...(each.propertied ?? [])];
    assert.ok(events.length <= MAX_READ_EVENTS);
    return needs.count({ events, messages: each.messages ?? [] }, EVALUATED_AT);
  });
}

/** The decision of the feed, which reads single events only where the predicate needs them. */
function feedSays({ matches }: CompiledAudience, facts: UserFacts, occurrences: readonly number[]): boolean {
  const unread = { isNeeded: false };
  const decision = matches({ ...facts, occurrences: unread }, EVALUATED_AT);
  return unread.isNeeded ? matches({ ...facts, occurrences }, EVALUATED_AT) : decision;
}

async function idsIn(users: RawBuilder<unknown>): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`select u.external_id as id from ${users}`.execute(
    house.database.kysely,
  );
  return new Set(rows.map(({ id }) => id));
}

const byPlace = (one: UserRef, other: UserRef): number =>
  one.lane - other.lane || (one.userKey < other.userKey ? -1 : 1);

/** The users by ranges of keys, which meet at some of them: all users, whatever they are. */
async function matchedByRanges(
  projectId: string,
  people: readonly Person[],
  expression: AudienceExpression,
): Promise<Set<string>> {
  const refs = people.map(({ ref }) => ref).sort(byPlace);
  const ends = refs.filter((_, index) => index % 60 === 59);
  const ranges = [null, ...ends].map((after, index) => ({ after, until: ends[index] ?? null }));
  const found = await Promise.all(
    ranges.map((range) => idsIn(matchingUsersIn(range, projectId, "both", expression, EVALUATED_AT))),
  );
  const all = found.flatMap((ids) => [...ids]);
  const once = new Set(all);
  assert.equal(all.length, once.size, "each user is in one range");
  return once;
}

/** The canonical form of a tree of a request. */
function expressionOf(input: unknown): AudienceExpression {
  const parsed = parseExpression(input);
  assert.ok(parsed.ok, JSON.stringify([parsed, input]));
  assert.deepEqual(parsed.expression, canonical(parsed.expression));
  return parsed.expression;
}

/** Runs all engines on all expressions and people; answers which share of the results was a match. */
async function assertAgreement(
  projectId: string,
  people: readonly Person[],
  expressions: readonly AudienceExpression[],
): Promise<number> {
  const needs = new Needs();
  const compiled = expressions.map((expression) => compile(expression, needs));
  const facts = await factsOf(projectId, people, needs);
  const counted = await countsOf(projectId, people, needs);
  let matches = 0;
  for (const [index, expression] of expressions.entries()) {
    const inSql = await idsIn(matchingUsers(projectId, "both", expression, EVALUATED_AT));
    const inRanges = await matchedByRanges(projectId, people, expression);
    for (const [at, person] of people.entries()) {
      const expected = isTrueOf(expression.root, person, EVALUATED_AT);
      const own = facts[at] as UserFacts;
      const memory = compiled[index]?.matches(own, EVALUATED_AT);
      const feed = feedSays(compiled[index] as CompiledAudience, own, counted[at] ?? []);
      if (expected) matches++;
      const [joined, within] = [inSql.has(person.id), inRanges.has(person.id)];
      if ([memory, feed, joined, within].every((each) => each === expected)) continue;
      const found = { expected, memory, feed, joined, within };
      assert.fail([found, expression, person].map((part) => JSON.stringify(part)).join("\n"));
    }
  }
  return matches / (expressions.length * people.length);
}

const CONTENT = {
  web_inapp: { message: { presentation: "toast", title: "Hello" } },
  email: { message: { subject: "Hello", body: "Hello" } },
  push: { message: MESSAGE, push: PUSH },
} as const;

/** Two campaigns of each channel. */
async function campaignsOf({ api }: TestProject): Promise<SomeCampaigns> {
  const made: SomeCampaigns[number][] = [];
  for (const channel of ["web_inapp", "email", "push"] as const)
    for (const name of ["One", "Other"]) {
      const { campaign } = await api.createCampaign({
        body: { name, channel, ...CONTENT[channel] },
      });
      made.push({ campaign: campaign.id, channel });
    }
  return made;
}

describe(`the engines, over ${TREES} random trees and ${USERS} random users (seed ${SEED})`, () => {
  const random = seeded(SEED);
  let projectId: string;
  let people: Person[];
  let expressions: AudienceExpression[];

  before(async () => {
    const project = await house.project();
    ({ projectId } = project);
    const campaigns = await campaignsOf(project);
    people = idsOf(USERS).map((id) => {
      const user = randomUser(random, id, EVALUATED_AT);
      const messages = randomMessages(random, campaigns, EVALUATED_AT);
      return {
        ...user,
        events: randomEvents(random, EVALUATED_AT),
        messages,
        ref: userRef(projectId, user.id),
      };
    });
    expressions = Array.from({ length: TREES }, () =>
      expressionOf(randomExpression(random, EVALUATED_AT, campaigns)),
    );
    await storePeople(house.database.pool, projectId, people);
  });

  it("agree on every one of them", async () => {
    const share = await assertAgreement(projectId, people, expressions);
    // Trees that match all users, or none, would prove nothing.
    assert.ok(share > 0.2 && share < 0.8, String(share));
  });

  it("agree with explain, which reads one user", async () => {
    for (const [index, expression] of expressions.slice(0, 60).entries()) {
      const person = people[index] as Person;
      const compiled = compile(expression);
      const known = await readFacts(house.database.kysely, projectId, person.ref, compiled, EVALUATED_AT);
      assert.ok(known);
      const { matched } = trace(expression, compiled, known.facts, EVALUATED_AT);
      assert.equal(matched, isTrueOf(expression.root, person, EVALUATED_AT), JSON.stringify(expression));
    }
  });

  it("agree with the counts of all nodes, each as its own expression", async () => {
    const { kysely } = house.database;
    const nodesOf = (node: AudienceNode, path: string): [string, AudienceNode][] => {
      const below =
        node.kind === "not"
          ? nodesOf(node.child, `${path}/child`)
          : "children" in node
            ? node.children.flatMap((child, index) => nodesOf(child, `${path}/children/${index}`))
            : node.kind === "event"
              ? (node.where ?? []).map((condition, index): [string, AudienceNode] => [
                  `${path}/where/${index}`,
                  { ...node, count: { op: "gte", value: 1 }, where: [condition] },
                ])
              : [];
      return [[path, node], ...below];
    };
    assert.ok(
      expressions.slice(0, 150).some(({ root }) => nodesOf(root, "").some(([path]) => /where/.test(path))),
    );
    for (const expression of expressions.slice(0, 150)) {
      const counted = await countNodesMatching(kysely, projectId, expression, EVALUATED_AT);
      const expected = nodesOf(expression.root, "/root").map(([path, node]) => ({
        path,
        users: people.filter((person) => isTrueOf(node, person, EVALUATED_AT)).length,
      }));
      assert.deepEqual(counted, { nodes: expected, total: USERS }, JSON.stringify(expression));
    }
  });

  it("agree with check, which counts and shows some", async () => {
    const { kysely } = house.database;
    for (const expression of expressions.slice(0, 60)) {
      const expected = people.filter((person) => isTrueOf(expression.root, person, EVALUATED_AT));
      const counted = await countMatching(kysely, projectId, expression, EVALUATED_AT);
      assert.deepEqual(counted, { matched: expected.length, total: USERS, ...NO_VISITORS });
      const sample = await sampleMatching(kysely, projectId, expression, EVALUATED_AT, 10);
      assert.equal(sample.length, Math.min(10, expected.length));
      const ids = new Set(expected.map(({ id }) => id));
      assert.ok(sample.every(({ externalId }) => ids.has(externalId)));
    }
  });
});

describe("the engines, over every operator and every kind of value", () => {
  it("agree, of traits and of properties", async () => {
    const { projectId } = await house.project();
    const people = observedValues(EVALUATED_AT).map((value, index): Person => {
      const traits = value === undefined ? {} : { plan: JSON.parse(JSON.stringify(value)) as unknown };
      const events = [{ name: "paid", props: traits, ts: EVALUATED_AT }];
      const times = { firstSeenAt: EVALUATED_AT, lastSeenAt: EVALUATED_AT };
      return { id: `user-${index}`, traits, ...times, events, ref: userRef(projectId, `user-${index}`) };
    });
    await storePeople(house.database.pool, projectId, people);
    const expressions = comparisons(EVALUATED_AT).flatMap((comparison) => {
      const field = (kind: string) => ({ kind: "field", field: { kind, key: "plan" }, ...comparison });
      return [field("trait"), { kind: "event", event: "paid", where: [field("event_property")] }].map(
        (root) => expressionOf({ version: 1, root }),
      );
    });
    const share = await assertAgreement(projectId, people, expressions);
    assert.ok(share > 0.05, String(share));
  });
});

describe("ids of users", () => {
  it("are looked up by the key of users, however many users there are", async () => {
    const { projectId } = await house.project();
    const root = (op: string) => ({
      kind: "field",
      field: { kind: "user", field: "id" },
      op,
      value: op === "eq" ? "ada" : ["ada", "bo"],
    });
    for (const op of ["eq", "in"]) {
      const users = matchingUsers(
        projectId,
        "both",
        expressionOf({ version: 1, root: root(op) }),
        EVALUATED_AT,
      );
      const plan = await house.database.kysely.transaction().execute(async (tx) => {
        // A table as small as this one is read whole, whatever the condition.
        await sql`set local enable_seqscan = off`.execute(tx);
        return sql<{ "QUERY PLAN": string }>`explain select u.external_id from ${users}`.execute(tx);
      });
      const lines = plan.rows.map((row) => row["QUERY PLAN"]).join("\n");
      assert.match(lines, /Index Cond: .*user_key = ANY/);
    }
  });
});

describe("iso_instant", () => {
  it("reads a time like the server does, or not at all", async () => {
    const texts = [
      ...NEARLY_TIMES,
      ...observedValues(EVALUATED_AT).filter((each) => typeof each === "string"),
    ];
    const { rows } = await house.database.pool.query<{ ms: number | null }>(
      "select iso_instant(value) as ms from jsonb_array_elements($1) with ordinality order by ordinality",
      [JSON.stringify(texts)],
    );
    assert.deepEqual(
      rows.map(({ ms }) => ms),
      texts.map((text) => {
        const ms = parseIso(text);
        return Number.isNaN(ms) ? null : ms;
      }),
    );
  });
});

describe("occurrences", () => {
  it("are counted up to one more than any count asks for, and cost nothing where none are needed", async () => {
    const { projectId } = await house.project();
    const ref = userRef(projectId, "busy");
    const events = Array.from({ length: 10_050 }, () => ({ name: "ping", props: null, ts: EVALUATED_AT }));
    const times = { firstSeenAt: EVALUATED_AT, lastSeenAt: EVALUATED_AT };
    await storePeople(house.database.pool, projectId, [
      { id: "busy", traits: { plan: "pro", other: 1 }, ...times, events, ref },
    ]);
    const ping = (op: string, value: number) => ({
      kind: "event",
      event: "ping",
      count: { op, value },
      window: { amount: 1, unit: "days" },
    });
    const { kysely } = house.database;
    for (const [op, value, matched] of [
      ["gt", 10_000, true],
      ["eq", 10_000, false],
      ["neq", 10_000, true],
      ["lte", 10_000, false],
    ] as const) {
      const expression = expressionOf({ version: 1, root: ping(op, value) });
      const compiled = compile(expression);
      const known = await readFacts(kysely, projectId, ref, compiled, EVALUATED_AT);
      assert.deepEqual(known?.facts.occurrences, [10_001]);
      assert.equal(compiled.matches(known.facts, EVALUATED_AT), matched);
      const counted = await countMatching(kysely, projectId, expression, EVALUATED_AT);
      assert.deepEqual(counted, { matched: matched ? 1 : 0, total: 1, ...NO_VISITORS });
    }
    const plain = { kind: "event", event: "ping" };
    const trait = { kind: "field", field: { kind: "trait", key: "plan" }, op: "exists" };
    const expression = expressionOf({ version: 1, root: { kind: "all", children: [plain, trait] } });
    const known = await readFacts(kysely, projectId, ref, compile(expression), EVALUATED_AT);
    assert.deepEqual(known?.facts.occurrences, []);
    assert.deepEqual(known.facts.eventCounts, { ping: 10_050 });
    assert.deepEqual(await sampleMatching(kysely, projectId, expression, EVALUATED_AT, 5), [
      { externalId: "busy", ...times, traits: { plan: "pro" }, events: { ping: 10_001 } },
    ]);
  });

  it("lie neither before the window nor after the moment of asking", async () => {
    const { projectId } = await house.project();
    const day = 86_400_000;
    const ref = userRef(projectId, "ann");
    const events = [-day - 1, -day, 0, 1].map((by) => ({ name: "ping", props: null, ts: EVALUATED_AT + by }));
    const times = { firstSeenAt: EVALUATED_AT, lastSeenAt: EVALUATED_AT };
    await storePeople(house.database.pool, projectId, [{ id: "ann", traits: {}, ...times, events, ref }]);
    const count = { op: "eq", value: 2 };
    const window = { amount: 1, unit: "days" };
    const expression = expressionOf({ version: 1, root: { kind: "event", event: "ping", count, window } });
    const { kysely } = house.database;
    const known = await readFacts(kysely, projectId, ref, compile(expression), EVALUATED_AT);
    assert.deepEqual(known?.facts.occurrences, [2]);
    const counted = await countMatching(kysely, projectId, expression, EVALUATED_AT);
    assert.deepEqual(counted, { matched: 1, total: 1, ...NO_VISITORS });
  });

  it("are nobody's in another project", async () => {
    const [one, other] = [await house.project(), await house.project()];
    await one.sdk.track({ body: { userId: "ann", event: "paid" } });
    const expression = expressionOf({ version: 1, root: { kind: "event", event: "paid" } });
    const { kysely } = house.database;
    const { projectId } = other;
    assert.deepEqual(await countMatching(kysely, projectId, expression, house.now()), {
      matched: 0,
      total: 0,
      ...NO_VISITORS,
    });
    const ref = userRef(one.projectId, "ann");
    assert.equal(await readFacts(kysely, projectId, ref, compile(expression), house.now()), null);
    assert.ok(await readFacts(kysely, one.projectId, ref, compile(expression), house.now()));
  });

  it("that differ only in spelling are counted once", () => {
    const needs = new Needs();
    const week = { kind: "event", event: "a", window: { amount: 7, unit: "days" } };
    const hours = {
      kind: "event",
      event: "a",
      count: { op: "gt", value: 3 },
      window: { amount: 168, unit: "hours" },
    };
    compile(
      expressionOf({ version: 1, root: { kind: "all", children: [week, { kind: "event", event: "a" }] } }),
      needs,
    );
    compile(expressionOf({ version: 1, root: hours }), needs);
    assert.deepEqual(needs.list, [{ event: "a", windowMs: 604_800_000, path: null, times: null }]);
    assert.equal(new Needs().json(), null);
  });
});
