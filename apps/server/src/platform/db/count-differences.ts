import { type RawBuilder, sql } from "kysely";
import type { Db } from "./db.ts";

/** How many rows a statement finds: what a check answers. `differing` selects a row for each difference, of whatever columns. */
export async function countDifferences(db: Db, differing: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ differences: number }>`
    select count(*) as differences from (${differing}) differing`.execute(db);
  return rows[0]?.differences ?? 0;
}
