import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { ConfigError } from "../config.ts";
import { buildConcurrently } from "./concurrent-index.ts";
import { isContention, isLocked, SQLSTATE, sqlState } from "./db.ts";
import { faultOf } from "./external/fault.ts";
import { type DatabaseStanding, migrateFault } from "./external/standing.pure.ts";
import { readStanding } from "./external/standing.ts";
import { type MigrationSteps, parseMigration } from "./migration-file.pure.ts";
import { tryBeginLocked } from "./transactions/lock.ts";

const FOLDER = new URL("../../../migrations/", import.meta.url);

export type Migration = MigrationSteps & { name: string; digest: string };

async function readFiles(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".sql")).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, FOLDER), "utf8");
      return { name, ...parseMigration(text), digest: hash("sha256", text) };
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

/**
 * What the role of a pool finds in its database, before anything of Tidings is read there.
 * @param setting what named the database
 */
export const standingOf = async (pool: pg.Pool, setting = "DATABASE_URL"): Promise<DatabaseStanding> =>
  readStanding(pool, tablesOf(await readMigrations()), setting);

/** @throws ConfigError where something is missing that the role cannot apply */
async function requireMigratable(pool: pg.Pool): Promise<void> {
  const standing = await standingOf(pool);
  const applied = standing.home === null ? new Map<string, string>() : await appliedMigrations(pool);
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

/** How often a process looks whether another one is done with what it applies. */
const LOOK_MS = 50;
/** For how long each of the first tries of a migration waits for a lock; every later one waits twice as long as the one before. */
const BRIEF_WAIT_MS = 100;
const BRIEF_TRIES = 50;
/** A connection that is idle in a transaction says so often that it is still there: after 20 s PostgreSQL takes it for left. */
const BEAT_MS = 5_000;

/** Waits for work of another connection, during which this one keeps its transaction. */
async function keepingOpen<T>(client: pg.PoolClient, work: Promise<T>): Promise<T> {
  // Where the connection is lost, its next statement says so.
  const beat = setInterval(() => void client.query("select").catch(() => undefined), BEAT_MS);
  try {
    return await work;
  } finally {
    clearInterval(beat);
  }
}

type Applied = { migration: string } | "none" | "elsewhere" | "blocked";

/**
 * Applies the first migration that is not applied, under the lock. Answers its name, or that there is none, that another process
 * applies one, or that a transaction of another connection was in the way for `waitMs`: then nothing of it is left but its indexes.
 */
async function applyNext(pool: pg.Pool, waitMs: number): Promise<Applied> {
  const client = await pool.connect();
  let name: string | null = null;
  let mayGiveWay = false;
  let broken: Error | undefined;
  try {
    if (!(await tryBeginLocked(client, "migrate"))) return "elsewhere";
    const next = await nextOf(client);
    if (next !== null) {
      name = next.name;
      if (next.indexes.length > 0) await keepingOpen(client, buildConcurrently(pool, next.indexes));
      mayGiveWay = true;
      await client.query("select set_config('lock_timeout', $1, true)", [`${waitMs}ms`]);
      await client.query("insert into migrations (name, digest) values ($1, $2)", [name, next.digest]);
      await client.query(next.sql);
    }
    await client.query("commit");
    return name === null ? "none" : { migration: name };
  } catch (cause) {
    // Where the connection is lost, PostgreSQL rolls back by itself.
    await client.query("rollback").catch((lost: Error) => {
      broken = lost;
    });
    if (mayGiveWay && (isLocked(cause) || isContention(cause))) return "blocked";
    throw name === null ? cause : new ConfigError(`Migration ${name} failed: ${faultOf(cause)}.`, { cause });
  } finally {
    client.release(broken);
  }
}

/**
 * Applies what is missing, each file under a lock: of several processes at once, each applies what no other one has. The indexes that a
 * file begins with are built one by one while others write; the rest is one transaction. It needs two connections of the pool. Answers
 * the names that this one applied.
 *
 * Every statement on a table waits behind one that waits for the table as a whole, and a transaction that has one table and wants
 * another may wait for the migration that waits for it. So a file that meets a transaction of others soon gives way and begins again,
 * and insists only where that did not help for long.
 * @throws ConfigError where the role may not do it, before anything is changed; when a file fails, of which nothing is left; and when a
 *   file that was applied has changed since or is not there: migrations go forward only
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  await requireMigratable(pool);
  const done: string[] = [];
  for (let tries = 1; ; ) {
    const waitMs = BRIEF_WAIT_MS * 2 ** Math.max(0, tries - BRIEF_TRIES);
    const applied = await applyNext(pool, waitMs);
    if (applied === "none") return done;
    if (applied === "elsewhere") await sleep(LOOK_MS);
    else if (applied === "blocked") {
      await sleep(waitMs);
      tries += 1;
    } else {
      done.push(applied.migration);
      tries = 1;
    }
  }
}
