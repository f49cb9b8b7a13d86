import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

const CLOSES_WITHIN_MS = 2_000;

/**
 * Drops a database once the connections to it are closed, which pools do behind their `end()`: a connection that is ended by force while
 * it closes is an error that no listener hears, and would fail the file that runs next.
 */
export async function dropDatabase(admin: pg.Client, name: string): Promise<void> {
  for (const end = Date.now() + CLOSES_WITHIN_MS; Date.now() < end; await sleep(5)) {
    const { rowCount } = await admin.query("select from pg_stat_activity where datname = $1 limit 1", [name]);
    if (rowCount === 0) break;
  }
  await admin.query(`drop database ${name} with (force)`);
}
