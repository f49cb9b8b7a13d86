import type pg from "pg";

/** How many pages (of 8 KiB) tables have, by name. */
export type TableSizes = ReadonlyMap<string, number>;

/** The pages of all tables, without those of their indexes. */
export async function readTableSizes(pool: pg.Pool): Promise<TableSizes> {
  const { rows } = await pool.query<{ name: string; pages: number }>(
    `select relname as name, pg_relation_size(oid) / current_setting('block_size')::int8 as pages
    from pg_class where relkind = 'r' and relnamespace = to_regnamespace(current_schema())`,
  );
  return new Map(rows.map(({ name, pages }) => [name, pages]));
}
