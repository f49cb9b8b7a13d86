import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { type App, resource } from "../../runtime.ts";
import { PATIENCE_MS } from "../batch/parked-rows.ts";
import { type Db, isLocked } from "../db.ts";

/** How long a statement of such a transaction waits for a lock: as long as those of group commits, which it may meet. */
const LOCK_WAIT_MS = 100;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/** Repeats of a process run one after the other: however many wait for a lock, they use one connection. */
const furtherTries = resource(() => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(act: () => Promise<T>): Promise<T> => {
    const turn = last.then(act);
    last = turn.catch(() => undefined);
    return turn;
  };
});

/** Has the statements of a transaction soon give up at a lock. */
export async function waitBriefly(tx: Db): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${LOCK_WAIT_MS}ms`}, true)`.execute(tx);
}

/**
 * Runs a transaction that soon gives up at a lock (`isLocked`), and repeats it until it succeeds, so that it keeps no connection while
 * it waits. Throws its last failure after `PATIENCE_MS`.
 */
export async function patiently<T>(app: App, act: () => Promise<T>): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  const again = app.get(furtherTries);
  for (let tries = 0, pauseMs = FIRST_PAUSE_MS; ; tries++) {
    try {
      return await (tries === 0 ? act() : again(act));
    } catch (cause) {
      if (!isLocked(cause) || performance.now() > until) throw cause;
    }
    await sleep(pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}
