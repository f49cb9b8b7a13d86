import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type pg from "pg";
import { ConfigError } from "../config.ts";
import { SQLSTATE, sqlState } from "./db.ts";
import { faultOf } from "./external/fault.ts";
import { type DatabaseStanding, migrateFault } from "./external/standing.pure.ts";
import { readStanding } from "./external/standing.ts";
import { beginLocked } from "./transactions/lock.ts";

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

/** Every table that a migration makes, also those that a later one drops: `users`, `people.user`. */
const tablesOf = (migrations: readonly Migration[]): string[] => [
  "migrations",
  ...migrations.flatMap(({ sql }) =>
    [...sql.matchAll(/^create table (?:if not exists )?([\w."]+)/gm)].map(([, name = ""]) =>
      name.replaceAll('"', ""),
    ),
  ),
];

/** What the role of a pool finds in its database, before anything of Tidings is read there. */
export const standingOf = async (client: pg.Pool | pg.PoolClient): Promise<DatabaseStanding> =>
  readStanding(client, tablesOf(await readMigrations()));

/** @throws ConfigError where something is missing that the role cannot apply */
async function requireMigratable(client: pg.PoolClient): Promise<void> {
  const standing = await standingOf(client);
  const applied = standing.home === null ? new Map<string, string>() : await appliedMigrations(client);
  const difference = compare(await readMigrations(), applied);
  requireKnown(difference);
  const fault = difference.missing.length === 0 ? null : migrateFault(standing);
  if (fault !== null) throw new ConfigError(`${fault}. Nothing was changed.`);
}

/** The first migration that is not applied, or null. Only a process that has the lock may rely on it. */
async function nextOf(client: pg.PoolClient): Promise<Migration | null> {
  const { rows } = await client.query<{ made: boolean }>(
    "select to_regclass('migrations') is not null as made",
  );
  if (rows[0]?.made !== true)
    await client.query(
      "create table migrations (name text primary key, digest text not null, applied_at timestamptz not null default now())",
    );
  const migrations = await readMigrations();
  const difference = compare(migrations, await appliedMigrations(client));
  requireKnown(difference);
  return migrations.find(({ name }) => name === difference.missing[0]) ?? null;
}

/** Applies the first migration that is not applied, under the lock; answers its name, or null where there is none. */
async function applyNext(client: pg.PoolClient): Promise<string | null> {
  let name: string | null = null;
  try {
    await beginLocked(client, "migrate");
    const next = await nextOf(client);
    if (next !== null) {
      name = next.name;
      await client.query("insert into migrations (name, digest) values ($1, $2)", [name, next.digest]);
      await client.query(next.sql);
    }
    await client.query("commit");
    return name;
  } catch (cause) {
    // Where the connection is lost, PostgreSQL rolls back by itself.
    await client.query("rollback").catch(() => undefined);
    throw name === null ? cause : new ConfigError(`Migration ${name} failed: ${faultOf(cause)}.`, { cause });
  }
}

/**
 * Applies what is missing, each file in a transaction of its own, which has a lock: of several processes at once, each applies what
 * no other one has. Answers the names that this one applied.
 * @throws ConfigError where the role may not do it, before anything is changed; when a file fails, of which nothing is left; and when a
 *   file that was applied has changed since or is not there: migrations go forward only
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const done: string[] = [];
  try {
    await requireMigratable(client);
    for (let name = await applyNext(client); name !== null; name = await applyNext(client)) done.push(name);
    return done;
  } catch (error) {
    broken = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // A client whose transaction failed may be broken: the pool closes it.
    client.release(broken);
  }
}
