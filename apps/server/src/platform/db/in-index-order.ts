import { sql } from "kysely";
import type { Db } from "./db.ts";

/**
 * Runs a statement that takes the next rows of an index, within a transaction of the caller. Where the planner expects fewer rows than there are,
 * as in a queue that was empty when it was last analysed, it would collect all of them first, for every piece.
 */
export async function inIndexOrder<T>(tx: Db, act: () => Promise<T>): Promise<T> {
  await sql`set local enable_bitmapscan = off`.execute(tx);
  const result = await act();
  await sql`set local enable_bitmapscan to default`.execute(tx);
  return result;
}
