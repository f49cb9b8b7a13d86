import type { Db, Tx } from "../db.ts";

/**
 * Runs reads whose answers have to agree: all their statements see the database as it was when the first one began. They use one
 * connection and must not take a second one: readers that each have one and wait for another would wait for each other.
 * @throws where one of them writes
 */
export const atOneInstant = <T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(read);
