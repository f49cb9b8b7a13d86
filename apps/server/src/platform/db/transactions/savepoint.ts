import { sql } from "kysely";
import type { Db } from "../db.ts";

/** Runs a part of a transaction that may fail without failing the rest. `name` is any identifier. */
export async function savepoint<T>(tx: Db, name: string, act: () => Promise<T>): Promise<T> {
  const point = sql.id(name);
  await sql`savepoint ${point}`.execute(tx);
  try {
    const result = await act();
    await sql`release savepoint ${point}`.execute(tx);
    return result;
  } catch (error) {
    await sql`rollback to savepoint ${point}`.execute(tx);
    // It is still there after that, and would stand before one of the same name around it.
    await sql`release savepoint ${point}`.execute(tx);
    throw error;
  }
}
