import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { runMigrations } from "graphile-worker";
import type pg from "pg";
import { ConfigError } from "../config.ts";
import { SQLSTATE, sqlState } from "./db.ts";

const FOLDER = new URL("../../../migrations/", import.meta.url);
/** Any fixed number: whoever holds it is the one who migrates. */
const MIGRATION_LOCK = 7_403_001;

export type Migration = { name: string; sql: string; digest: string };

/** The numbered SQL files, in order. */
export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".sql")).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, FOLDER), "utf8");
      return { name, sql, digest: hash("sha256", sql) };
    }),
  );
}

async function appliedMigrations(db: pg.Pool | pg.PoolClient): Promise<Map<string, string>> {
  try {
    const { rows } = await db.query<{ name: string; digest: string }>("select name, digest from migrations");
    return new Map(rows.map((row) => [row.name, row.digest]));
  } catch (error) {
    if (sqlState(error) === SQLSTATE.undefinedTable) return new Map();
    throw error;
  }
}

/** Names of the migrations that the database has not seen. */
export async function pendingMigrations(pool: pg.Pool): Promise<string[]> {
  const [migrations, applied] = await Promise.all([readMigrations(), appliedMigrations(pool)]);
  return migrations.filter(({ name }) => !applied.has(name)).map(({ name }) => name);
}

/**
 * Applies what is missing, each file in a transaction of its own, under an advisory lock; answers the names applied.
 * @throws when a file that was applied has changed since: migrations go forward only.
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const client = await pool.connect();
  const done: string[] = [];
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const version = await client.query<{ v: number }>(
      "select current_setting('server_version_num')::int as v",
    );
    if ((version.rows[0]?.v ?? 0) < 150_000) throw new ConfigError("Tidings needs PostgreSQL 15 or newer.");
    await client.query(
      "create table if not exists migrations (name text primary key, digest text not null, applied_at timestamptz not null default now())",
    );
    const applied = await appliedMigrations(client);
    for (const { name, sql, digest } of await readMigrations()) {
      const before = applied.get(name);
      if (before === digest) continue;
      if (before !== undefined) throw new ConfigError(`Migration ${name} was changed after it was applied.`);
      await client.query("begin");
      try {
        await client.query("insert into migrations (name, digest) values ($1, $2)", [name, digest]);
        await client.query(sql);
        await client.query("commit");
      } catch (error) {
        await client.query("rollback");
        throw new ConfigError(
          `Migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`,
          {
            cause: error,
          },
        );
      }
      done.push(name);
    }
    await runMigrations({ pgPool: pool });
  } finally {
    await client.query("select pg_advisory_unlock($1)", [MIGRATION_LOCK]);
    client.release();
  }
  return done;
}
