import { sql } from "kysely";
import type { Db } from "./db.ts";

/**
 * Runs a statement that takes the next rows of an index, in the transaction of the caller, or in one of its own. Where the planner expects fewer
 * rows than there are, as in a queue that was empty when it was last analysed, it would collect all of them first, for every piece.
 */
export async function inIndexOrder<T>(db: Db, act: (tx: Db) => Promise<T>): Promise<T> {
  const run = async (tx: Db): Promise<T> => {
    await sql`set local enable_bitmapscan = off`.execute(tx);
    const result = await act(tx);
    await sql`set local enable_bitmapscan to default`.execute(tx);
    return result;
  };
  return db.isTransaction ? run(db) : db.transaction().execute(run);
}
