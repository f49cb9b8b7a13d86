import { setTimeout as sleep } from "node:timers/promises";
import { type App, resource } from "../runtime.ts";
import { isLocked } from "./db.ts";
import { PATIENCE_MS } from "./parked-rows.ts";

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/** Further tries of a process, one after the other: however many wait for a lock, they occupy one connection. */
const furtherTries = resource(() => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(act: () => Promise<T>): Promise<T> => {
    const turn = last.then(act);
    last = turn.catch(() => undefined);
    return turn;
  };
});

/**
 * Runs a transaction that gives up soon where it meets a lock (`isLocked`), again and again until it gets through: it keeps no
 * connection while it waits. What still meets a lock after `PATIENCE_MS` is refused as it is.
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
