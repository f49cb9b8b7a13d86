import type { Database, PoolSettings } from "./db.ts";

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

/**
 * What the pools asked for and did not get, in one line; null where all is as it should be. A pooler in between may drop the settings of
 * a connection without a word: then statements of requests have no end, hot ones wait for locks, and a process that hangs keeps its locks.
 */
export async function lostSettings({ settings }: Database): Promise<string | null> {
  const lost = new Set((await Promise.all(settings.map(lostBy))).flat());
  return lost.size === 0
    ? null
    : `connections lack settings that they asked for (${[...lost].join(", ")}), because a pooler in between drops them or DATABASE_URL has others: name PostgreSQL itself in DATABASE_URL, or see what docs/self-hosting.md says about poolers`;
}
