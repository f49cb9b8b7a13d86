import type { TestHouse } from "./harness.ts";

/** A digest of all rows of every table of the house, by table; their order does not matter. */
export async function contentsOf({ database: { pool } }: TestHouse): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  );
  const digests = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as digest from ${name} t`,
  );
  const { rows } = await pool.query<{ name: string; digest: string }>(digests.join(" union all "));
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}
