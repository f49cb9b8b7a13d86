import type { Connection } from "./db.ts";

/** Rows of one statement of a transaction over thousands: to write them down for PostgreSQL takes a few milliseconds of the event loop. */
const ROWS_AT_ONCE = 1_000;

/** How long such a statement waits for a lock. Then all of its transaction is given up, which keeps thousands of rows from others. */
const LOCK_WAIT_MS = 2_000;

/**
 * Has the statements of a transaction planned for the rows that they are given. Else they are planned once for ten, and what is written is
 * joined with what was given row by row: with thousands of rows that takes most of the time. As for hot statements, no plan reads a table whole.
 */
export async function planForManyRows(client: Connection): Promise<void> {
  await client.query(
    `set local plan_cache_mode = force_custom_plan; set local enable_seqscan = off; set local enable_bitmapscan = off;
    set local lock_timeout = ${LOCK_WAIT_MS}`,
  );
}

/** Rows of a transaction in their order, as many at a time as one statement takes. */
export function* rowsAtOnce<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) yield rows.slice(at, at + ROWS_AT_ONCE);
}
