import type pg from "pg";
import { ConfigError } from "../../config.ts";
import { type Database, type PoolSettings, SQLSTATE, sqlState } from "../db.ts";

/** The names of settings that the connections of a pool asked for, and do not have. */
async function lostBy({ pool, wanted }: PoolSettings): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name = any ($1)",
    [Object.keys(wanted)],
  );
  const found = new Map(rows.map(({ name, setting }) => [name, setting]));
  return Object.entries(wanted)
    .filter(([name, value]) => found.get(name) !== value)
    .map(([name]) => name);
}

const PROBE = { name: "kept_by_a_pooler", text: "select 1" };

/**
 * Whether a statement that one client prepared is gone once another client has the connection to PostgreSQL that it was prepared on: the
 * second client begins a transaction, and a pooler gives it the connection that was used last.
 */
async function forgetsStatements(pool: pg.Pool): Promise<boolean> {
  const [first, second] = await Promise.all([pool.connect(), pool.connect()]);
  try {
    await first.query(PROBE);
    await second.query("begin");
    await first.query(PROBE);
    return false;
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.noSuchStatement) throw error;
    return true;
  } finally {
    // A transaction that is open ends with its connection.
    first.release(true);
    second.release(true);
  }
}

/**
 * What the pools asked for and did not get, in one line; null where all is as it should be. A pooler in between may drop the settings of
 * a connection without a word: then statements of requests have no end, hot ones wait for locks, and a process that hangs keeps its locks.
 * @throws ConfigError where it forgets prepared statements as well: then most requests would be 500
 */
export async function lostSettings({ settings, pool }: Database): Promise<string | null> {
  const lost = new Set((await Promise.all(settings.map(lostBy))).flat());
  if (lost.size === 0) return null;
  if (await forgetsStatements(pool))
    throw new ConfigError(
      "A pooler by transaction in front of PostgreSQL forgets prepared statements: name PostgreSQL itself in DATABASE_URL, or let the pooler keep them (max_prepared_statements = 200 in PgBouncer 1.21 or newer).",
    );
  return `connections lack settings that they asked for (${[...lost].join(", ")}), because a pooler in between drops them or DATABASE_URL has others: name PostgreSQL itself in DATABASE_URL, or see what docs/self-hosting.md says about poolers`;
}
