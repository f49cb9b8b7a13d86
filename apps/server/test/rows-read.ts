import { sql } from "kysely";
import type { Db } from "../src/platform/db/db.ts";

/**
 * How many rows of these tables, by name, are read by what `read` does in a transaction, and what that answers. PostgreSQL counts for a
 * connection, of which some may have been read in an earlier transaction.
 */
export async function countRowsRead<Table extends string, T>(
  tx: Db,
  tables: readonly Table[],
  read: () => Promise<T>,
): Promise<{ answer: T; rows: Record<Table, number> }> {
  const readSoFar = async (): Promise<Map<string, number>> => {
    const { rows } = await sql<{ name: string; rows: number }>`
      select relname as name, seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_user_tables
      where relname = any(${tables})`.execute(tx);
    return new Map(rows.map(({ name, rows }) => [name, rows]));
  };
  const before = await readSoFar();
  const answer = await read();
  const after = await readSoFar();
  const ofTable = (name: Table): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  return {
    answer,
    rows: Object.fromEntries(tables.map((name) => [name, ofTable(name)])) as Record<Table, number>,
  };
}
