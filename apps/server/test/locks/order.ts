import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import type pg from "pg";
import type { Connection } from "../../src/platform/db/db.ts";
import { isLocked, kyselyOn } from "../../src/platform/db/db.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { type App, createResources } from "../../src/platform/runtime.ts";
import type { TestHouse } from "../harness.ts";

/** A row, there already or yet to be made: `take` locks it, and makes it where it is missing. */
export type Row = { name: string; take: { text: string; values: unknown[] } };

/** A row by its key, with whatever else one of its table has to have. */
export function row(
  name: string,
  table: string,
  key: Record<string, unknown>,
  others: Record<string, unknown> = {},
): Row {
  const columns = { ...key, ...others };
  const names = Object.keys(columns);
  const keys = Object.keys(key);
  const text = `
    insert into ${table} (${names.join(", ")}) values (${names.map((_, n) => `$${n + 1}`).join(", ")})
    on conflict (${keys.join(", ")}) do update set ${keys[0]} = excluded.${keys[0]}`;
  return { name, take: { text, values: Object.values(columns) } };
}

/** A row that is there, by what it is found with. */
export const known = (name: string, table: string, where: Record<string, unknown>): Row => ({
  name,
  take: {
    text: `select from ${table} where ${Object.keys(where)
      .map((column, n) => `${column} = $${n + 1}`)
      .join(" and ")} for no key update`,
    values: Object.values(where),
  },
});

/** What is done, on one connection: `app` is one whose hot statements, and transactions, all go to it. */
export type Act = (client: Connection, app: App) => Promise<unknown>;

/** The prepared statements that acts have sent, by name. */
export const preparedInActs = new Set<string>();

/** A connection that remembers the names of prepared statements, and sends them on another one. */
function remembering(client: Connection): Connection {
  const query = (statement: unknown, ...rest: unknown[]): unknown => {
    if (statement instanceof Object && "name" in statement) preparedInActs.add(String(statement.name));
    return Reflect.apply(client.query, client, [statement, ...rest]);
  };
  // All else is asked of the connection itself.
  return Object.assign(Object.create(client) as Connection, { query });
}

/** An app of which everything that is hot is written on one connection, within a transaction that is under way. */
function appOn({ app }: TestHouse["tidings"], client: Connection): App {
  const query = ((statement: unknown, ...rest: unknown[]) => {
    if (typeof statement === "string" && /^(begin|commit|rollback)/.test(statement))
      return Promise.resolve({ rows: [] });
    return Reflect.apply(client.query, client, [statement, ...rest]);
  }) as Connection["query"];
  const lent = { query, release: () => undefined };
  // All that is asked of a pool here is a connection.
  const hotPool = { query, connect: async () => lent } as unknown as pg.Pool;
  const made: App = {
    ...app,
    database: { ...app.database, hotPool },
    metrics: createMetrics(),
    get: createResources(() => made),
  };
  return made;
}

/** The query builder on a connection, which its caller closes. */
export const kyselyOf = (client: Connection) => {
  const query = client.query.bind(client);
  // All that the builder asks of a connection is to run statements.
  const lent = { query, release: () => undefined } as unknown as pg.PoolClient;
  return kyselyOn({ connect: async () => lent, end: async () => undefined, options: {} });
};

async function isLockedNow(prober: pg.PoolClient, { take }: Row): Promise<boolean> {
  await prober.query("begin; set local lock_timeout = 1");
  try {
    await prober.query(take);
    return false;
  } catch (error) {
    if (!isLocked(error)) throw error;
    return true;
  } finally {
    await prober.query("rollback");
  }
}

/** The rows that are locked already when an act has come to one of them. */
async function lockedBefore(house: TestHouse, act: Act, at: Row, others: readonly Row[]): Promise<string[]> {
  const { background, hotPool } = house.database;
  const [blocker, prober, client] = await Promise.all([
    background.pool.connect(),
    background.pool.connect(),
    hotPool.connect(),
  ]);
  try {
    await blocker.query("begin");
    await blocker.query(at.take);
    const { rows } = await blocker.query<{ pid: number }>("select pg_backend_pid() as pid");
    await client.query("begin; set local lock_timeout = 0");
    const acting = remembering(client);
    let isOver = false;
    const acted = Promise.allSettled([act(acting, appOn(house.tidings, acting))]).then(([result]) => {
      isOver = true;
      if (result?.status === "rejected") throw result.reason;
    });
    acted.catch(() => undefined);
    const blocked = "select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))";
    for (const since = performance.now(); (await prober.query(blocked, [rows[0]?.pid])).rowCount === 0; ) {
      if (isOver) await acted;
      assert.ok(!isOver && performance.now() < since + 5_000, `${at.name} is waited for`);
      await nextTurn();
    }
    const locked: string[] = [];
    for (const other of others) if (await isLockedNow(prober, other)) locked.push(other.name);
    await blocker.query("rollback");
    await acted;
    return locked;
  } finally {
    await blocker.query("rollback");
    await client.query("rollback");
    for (const each of [blocker, prober, client]) each.release();
  }
}

/**
 * Does something once for each of some rows, which another connection has locked; answers at which of them it had locked which before.
 * Everything is rolled back.
 */
export async function locksOf(
  house: TestHouse,
  act: Act,
  rows: readonly Row[],
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const at of rows)
    found[at.name] = await lockedBefore(
      house,
      act,
      at,
      rows.filter((other) => other !== at),
    );
  return found;
}

/** Fails unless an act locks rows in this order, one after the other. */
export async function assertOrder(house: TestHouse, act: Act, rows: readonly Row[]): Promise<void> {
  const names = rows.map(({ name }) => name);
  const expected = Object.fromEntries(names.map((name, n) => [name, names.slice(0, n)]));
  assert.deepEqual(await locksOf(house, act, rows), expected);
}
