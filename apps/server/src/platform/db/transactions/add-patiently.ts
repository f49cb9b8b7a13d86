import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../log.ts";
import { SECOND_MS } from "../../time/clock.ts";
import type { Batch } from "../batch/batch.ts";

const TRIES = 30;

/**
 * Adds a row that must not be lost when the database is briefly unreachable, such as a mail server's reply: tries again for half a
 * minute, then fails. Writing the row twice has to be harmless.
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
