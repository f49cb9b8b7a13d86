import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { sql } from "kysely";
import { testHouse } from "../../../test/harness.ts";
import { rowsStatement } from "../../platform/db/rows-statement.ts";
import { type UserRef, userRef } from "../../platform/ids.ts";
import { compile, type UserFacts } from "./compile.ts";
import { holds } from "./engines-naive.ts";
import {
  randomEvents,
  randomExpression,
  randomUser,
  type SomeEvent,
  type SomeUser,
} from "./engines-random.ts";
import { occurrencesJoin, readFacts } from "./facts-store.ts";
import { countMatching, matchingUsers, sampleMatching } from "./matching-store.ts";
import { Needs } from "./needs.ts";
import { parseExpression } from "./parse.ts";
import { canonical } from "./rules.ts";
import type { AudienceExpression } from "./schema.ts";
import { trace } from "./trace.ts";

const house = testHouse();

const USERS = 120;
const TREES = 400;
const EVALUATED_AT = Date.UTC(2026, 2, 1, 12);
const SEED = Number(process.env.TIDINGS_SEED ?? 20_261_120);

/** A generator of numbers from 0 to 1 (mulberry32), so that a failure can be had again by its seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Person = SomeUser & { events: SomeEvent[]; ref: UserRef };

/** Writes people and their events as the ingest would leave them. */
async function settle(projectId: string, people: readonly Person[]): Promise<void> {
  const { pool } = house.database;
  const rows = (values: readonly unknown[]) => JSON.stringify(values);
  const users = people.map(({ ref, id, traits, firstSeenAt, lastSeenAt }) => ({
    lane: ref.lane,
    user_key: ref.userKey,
    project_id: projectId,
    external_id: id,
    traits,
    first_seen_at: firstSeenAt,
    last_seen_at: lastSeenAt,
  }));
  await pool.query("insert into users select * from jsonb_populate_recordset(null::users, $1)", [
    rows(users),
  ]);
  const events = people.flatMap(({ ref, events }) =>
    events.map(({ name, props, ts }, index) => ({
      lane: ref.lane,
      user_key: ref.userKey,
      event_id: `e${index}`,
      project_id: projectId,
      name,
      props,
      ts,
    })),
  );
  await pool.query("insert into events select * from jsonb_populate_recordset(null::events, $1)", [
    rows(events),
  ]);
  await pool.query(`update events set props = null where props = 'null'`);
  await pool.query(
    `insert into event_counts (lane, user_key, name, project_id, count, first_at, last_at)
    select lane, user_key, name, project_id, count(*), min(ts), max(ts) from events
    where project_id = $1 group by 1, 2, 3, 4`,
    [projectId],
  );
}

type Asked = { lane: number; userKey: string; projectId: string; evaluatedAt: number; needs: string | null };

/** The facts of many users, as the feed reads them: prepared, many rows in one statement. */
const readMany = rowsStatement<
  Asked,
  {
    traits: Record<string, unknown>;
    firstSeenAt: number;
    lastSeenAt: number;
    counts: Record<string, number> | null;
    occurrences: number[] | null;
  }
>(
  "test_facts",
  { lane: "int2", userKey: "uuid", projectId: "uuid", evaluatedAt: "int8", needs: "jsonb" },
  ` select u.traits, u.first_seen_at as "firstSeenAt", u.last_seen_at as "lastSeenAt", o.occurrences, (
      select json_object_agg(c.name, c.count) from event_counts c
      where c.lane = i.lane and c.user_key = i.user_key and c.project_id = i.project_id
    ) as counts
  from input i
  join users u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
  ${occurrencesJoin("i")}
  order by i.ord`,
);

async function factsOf(projectId: string, people: readonly Person[], needs: Needs): Promise<UserFacts[]> {
  const rows = await readMany(
    house.database.hotPool,
    people.map(({ ref }) => ({ ...ref, projectId, evaluatedAt: EVALUATED_AT, needs: needs.json() })),
  );
  return rows.map(({ counts, occurrences, ...row }) => ({
    ...row,
    eventCounts: counts ?? {},
    occurrences: occurrences ?? [],
  }));
}

async function matchedBySql(projectId: string, expression: AudienceExpression): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select u.external_id as id from ${matchingUsers(projectId, expression, EVALUATED_AT)}`.execute(
    house.database.kysely,
  );
  return new Set(rows.map(({ id }) => id));
}

describe(`the engines, over ${TREES} random trees and ${USERS} random users (seed ${SEED})`, () => {
  const random = seeded(SEED);
  let projectId: string;
  let people: Person[];
  let expressions: AudienceExpression[];

  before(async () => {
    ({ projectId } = await house.project());
    people = Array.from({ length: USERS }, (_, index) => {
      const id = `user-${index}`;
      return {
        ...randomUser(random, id, EVALUATED_AT),
        events: randomEvents(random, EVALUATED_AT),
        ref: userRef(projectId, id),
      };
    });
    expressions = Array.from({ length: TREES }, () => {
      const input = randomExpression(random, EVALUATED_AT);
      const parsed = parseExpression(input);
      assert.ok(parsed.ok, JSON.stringify([parsed, input]));
      assert.deepEqual(parsed.expression, canonical(parsed.expression));
      return parsed.expression;
    });
    await settle(projectId, people);
  });

  it("agree on every one of them", async () => {
    const needs = new Needs();
    const compiled = expressions.map((expression) => compile(expression, needs));
    const facts = await factsOf(projectId, people, needs);
    let matches = 0;
    for (const [index, expression] of expressions.entries()) {
      const inSql = await matchedBySql(projectId, expression);
      for (const [at, person] of people.entries()) {
        const userFacts = facts[at] as UserFacts;
        const expected = holds(expression.root, person, EVALUATED_AT);
        const found = {
          memory: compiled[index]?.matches(userFacts, EVALUATED_AT),
          sql: inSql.has(person.id),
        };
        if (expected) matches++;
        assert.deepEqual(
          found,
          { memory: expected, sql: expected },
          `${JSON.stringify(expression)}\n${JSON.stringify(person)}`,
        );
      }
    }
    // A generator whose trees say the same of everyone would prove nothing.
    const share = matches / (TREES * USERS);
    assert.ok(share > 0.2 && share < 0.8, String(share));
  });

  it("agree with explain, which reads one user", async () => {
    for (const [index, expression] of expressions.slice(0, 60).entries()) {
      const person = people[index] as Person;
      const compiled = compile(expression);
      const known = await readFacts(house.database.kysely, projectId, person.ref, compiled, EVALUATED_AT);
      assert.ok(known);
      const { matched } = trace(expression, compiled, known.facts, EVALUATED_AT);
      assert.equal(matched, holds(expression.root, person, EVALUATED_AT), JSON.stringify(expression));
    }
  });

  it("agree with check, which counts and shows some", async () => {
    const { kysely } = house.database;
    for (const expression of expressions.slice(0, 60)) {
      const expected = people.filter((person) => holds(expression.root, person, EVALUATED_AT));
      const counted = await countMatching(kysely, projectId, expression, EVALUATED_AT);
      assert.deepEqual(counted, { matched: expected.length, total: USERS });
      const sample = await sampleMatching(kysely, projectId, expression, EVALUATED_AT, 10);
      assert.equal(sample.length, Math.min(10, expected.length));
      const ids = new Set(expected.map(({ id }) => id));
      assert.ok(sample.every(({ externalId }) => ids.has(externalId)));
    }
  });
});
