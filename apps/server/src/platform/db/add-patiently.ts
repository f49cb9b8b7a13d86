import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_MS } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Batch } from "./batch.ts";

const TRIES = 30;

/**
 * Adds a row that must not be lost to a database that is away for a moment, such as what a mail server answered: for half a minute
 * it is tried again. What then becomes of it is the caller's to say. Writing it twice has to be harmless.
 */
export async function addPatiently<Row, Result>(
  batch: Batch<Row, Result>,
  row: Row,
  log: Log,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await batch.add(row);
    } catch (cause) {
      if (tries === TRIES) throw cause;
      log.warn({ err: cause }, "a row could not be written yet");
      await sleep(SECOND_MS);
    }
  }
}
