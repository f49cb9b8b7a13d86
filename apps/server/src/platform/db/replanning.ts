import type pg from "pg";
import { SECOND_MS } from "../time/clock.ts";
import { readTableSizes, type TableSizes } from "./size-store.ts";

/**
 * Sizes are looked at once connections were taken so often since the last look, and not more than once in so many milliseconds: a server at
 * rest takes one now and then, and the question costs as much as fifty of its others.
 */
const LOOK_AFTER = { taken: 10, ms: SECOND_MS };
/** With more pages than this, no plan reads all of a table or of an index in place of looking a row up. */
const LARGE_PAGES = 128;

/** Whether a table that was small is at least twice as large now. */
const hasGrown = (before: TableSizes, now: TableSizes): boolean =>
  [...now].some(([name, pages]) => {
    const planned = before.get(name) ?? 0;
    return planned < LARGE_PAGES && pages >= Math.max(1, 2 * planned);
  });

/**
 * Lets the connections of a pool plan their prepared statements anew where a table has grown since they were planned. PostgreSQL keeps such
 * a plan until the table is analysed, which may be a minute later. Of a table with few rows it may have planned to read the whole index
 * for each row of a statement, as that costs no more than to look a row up: the first large campaign took ten times as long.
 * @param sizes a pool for the question how large tables are
 * @param steadyMs a clock that only goes on, in milliseconds
 */
export function replanAsTablesGrow(
  pool: pg.Pool,
  sizes: pg.Pool,
  steadyMs: () => number = () => performance.now(),
): void {
  let planned: TableSizes | null = null;
  /** How often the plans were given up, and for each connection, how often that was when it gave up its own. */
  let times = 0;
  const seen = new WeakMap<pg.PoolClient, number>();
  let lookAt = steadyMs();
  let taken: number = LOOK_AFTER.taken;

  async function look(): Promise<void> {
    const now = await readTableSizes(sizes);
    if (planned !== null && !hasGrown(planned, now)) return;
    if (planned !== null) times++;
    planned = now;
  }

  pool.on("connect", (client) => seen.set(client, times));
  pool.on("acquire", (client) => {
    const now = steadyMs();
    if (++taken >= LOOK_AFTER.taken && now >= lookAt) {
      lookAt = now + LOOK_AFTER.ms;
      taken = 0;
      // Where the database does not answer, there is nothing to plan either.
      look().catch(() => undefined);
    }
    if (seen.get(client) === times) return;
    seen.set(client, times);
    // It runs before the statement for which the connection is taken, whose caller hears of a connection that is broken.
    client.query("discard plans").catch(() => undefined);
  });
}
