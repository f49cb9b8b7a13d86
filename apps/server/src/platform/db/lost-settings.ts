import type { Database, PoolSettings } from "./db.ts";

/** Settings that the connections of a pool asked for, and do not have: `statement_timeout = 20000`. */
async function lostBy({ pool, wanted }: PoolSettings): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name = any ($1)",
    [Object.keys(wanted)],
  );
  const found = new Map(rows.map(({ name, setting }) => [name, setting]));
  return Object.entries(wanted)
    .filter(([name, value]) => found.get(name) !== value)
    .map(([name, value]) => `${name} = ${value}`);
}

/**
 * What the pools asked for and did not get, in one line; null where all is as it should be. A pooler in between may drop the settings of
 * a connection without a word: then statements of requests have no end, hot ones wait for locks, and a process that hangs keeps its locks.
 */
export async function lostSettings({ settings }: Database): Promise<string | null> {
  const found = await Promise.all(settings.map(async (each) => [each.name, await lostBy(each)] as const));
  const lost = found.filter(([, names]) => names.length > 0);
  if (lost.length === 0) return null;
  const names = lost.map(([name, each]) => `"${name}" ${each.join(", ")}`).join("; ");
  return `connections are not set as they have to be, because a pooler in between drops it or DATABASE_URL overrides it: ${names}. Name PostgreSQL itself in DATABASE_URL, without settings; docs/self-hosting.md says under "Poolers" what a pooler has to do`;
}
