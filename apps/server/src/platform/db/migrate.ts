import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type pg from "pg";
import { ConfigError } from "../config.ts";
import { SQLSTATE, sqlState } from "./db.ts";
import { whileLocked } from "./lock.ts";

const FOLDER = new URL("../../../migrations/", import.meta.url);

export type Migration = { name: string; sql: string; digest: string };

async function readFiles(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".sql")).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, FOLDER), "utf8");
      return { name, sql, digest: hash("sha256", sql) };
    }),
  );
}

let files: Promise<Migration[]> | null = null;

/** The numbered SQL files, in order. Read once per process, because every readiness probe needs them. */
export function readMigrations(): Promise<Migration[]> {
  files ??= readFiles().catch((cause: unknown) => {
    files = null;
    throw cause;
  });
  return files;
}

/** Reads the applied migrations. A database that does not answer is given up, since callers ask whether it is there. */
const APPLIED = { text: "select name, digest from migrations order by name", query_timeout: 10_000 };

async function appliedMigrations(db: pg.Pool | pg.PoolClient): Promise<Map<string, string>> {
  try {
    const { rows } = await db.query<{ name: string; digest: string }>(APPLIED);
    return new Map(rows.map((row) => [row.name, row.digest]));
  } catch (error) {
    if (sqlState(error) === SQLSTATE.undefinedTable) return new Map();
    throw error;
  }
}

/** How the migrations of a database differ from the files of this code, by name. */
export type SchemaDifference = {
  /** Not applied to the database yet. */
  missing: string[];
  /** Applied to the database with another content. */
  changed: string[];
  /** Applied to the database, but without a file in this code. */
  unknown: string[];
};

function compare(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): SchemaDifference {
  const digests = new Map(migrations.map(({ name, digest }) => [name, digest]));
  const names = [...applied.keys()];
  return {
    missing: [...digests.keys()].filter((name) => !applied.has(name)),
    changed: names.filter((name) => (digests.get(name) ?? applied.get(name)) !== applied.get(name)),
    unknown: names.filter((name) => !digests.has(name)),
  };
}

export async function compareMigrations(pool: pg.Pool): Promise<SchemaDifference> {
  const [files, applied] = await Promise.all([readMigrations(), appliedMigrations(pool)]);
  return compare(files, applied);
}

/** Why the database does not fit this code, or null. Without a full stop: a caller may say what to do. */
export function schemaFault({ missing, changed, unknown }: SchemaDifference): string | null {
  if (changed.length > 0) return `Migration ${changed.join(", ")} was changed after it was applied`;
  if (unknown.length > 0)
    return `The database is of a newer Tidings: this one does not know its migration ${unknown.join(", ")}`;
  return missing.length === 0 ? null : `The database lacks ${missing.join(", ")}`;
}

/** @throws ConfigError where migrating would not help: the database is of a newer version, or a file was changed */
export function requireKnown(difference: SchemaDifference): void {
  const fault = schemaFault({ ...difference, missing: [] });
  if (fault !== null) throw new ConfigError(`${fault}.`);
}

async function applyMissing(client: pg.PoolClient): Promise<string[]> {
  const done: string[] = [];
  const version = await client.query<{ v: number }>("select current_setting('server_version_num')::int as v");
  if ((version.rows[0]?.v ?? 0) < 150_000) throw new ConfigError("Tidings needs PostgreSQL 15 or newer.");
  await client.query(
    "create table if not exists migrations (name text primary key, digest text not null, applied_at timestamptz not null default now())",
  );
  const applied = await appliedMigrations(client);
  const migrations = await readMigrations();
  requireKnown(compare(migrations, applied));
  for (const { name, sql, digest } of migrations) {
    if (applied.has(name)) continue;
    await client.query("begin");
    try {
      await client.query("insert into migrations (name, digest) values ($1, $2)", [name, digest]);
      await client.query(sql);
      await client.query("commit");
    } catch (error) {
      await client.query("rollback");
      throw new ConfigError(
        `Migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
    done.push(name);
  }
  return done;
}

/**
 * Applies what is missing, each file in a transaction of its own, under an advisory lock; answers the names applied.
 * @throws ConfigError when a file that was applied has changed since or is not there: migrations go forward only
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const client = await pool.connect();
  try {
    return await whileLocked(client, "migrate", () => applyMissing(client));
  } finally {
    client.release();
  }
}
