import { type RawBuilder, sql } from "kysely";
import type { Db } from "./db.ts";
import type { SqlText } from "./statements/sql-text.ts";

/** Counts the rows of a statement, for a check. `differing` selects a row for each difference; its columns do not matter. */
export async function countDifferences(db: Db, differing: RawBuilder<unknown> | SqlText): Promise<number> {
  const { rows } = await sql<{ differences: number }>`
    select count(*) as differences from (${differing}) differing`.execute(db);
  return rows[0]?.differences ?? 0;
}
