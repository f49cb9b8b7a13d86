import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_MS } from "../../platform/clock.ts";
import { type Db, SQLSTATE, sqlState } from "../../platform/db/db.ts";
import { raiseConfigVersion } from "../access/public.ts";
import { closeProject, deleteProjectRow, emptyTable, readEmptied } from "./delete-store.ts";

/** A running server caches a key for 5 seconds: until then it may still write for the project. */
const KEYS_ARE_FORGOTTEN_MS = 6 * SECOND_MS;

const MAX_TRIES = 10;

export type Deleting = {
  projectId: string;
  /** Epoch milliseconds. */
  now: number;
  /** How long to wait between closing the project and deleting its rows; for tests. */
  waitMs?: number;
};

/**
 * Deletes a project and all its rows for good, also while servers run. First closes the project (its keys stop working, its campaigns
 * end), then empties table by table, and deletes the project's own row last: after an interruption it can be run again.
 */
export async function deleteProject(
  db: Db,
  { projectId, now, waitMs = KEYS_ARE_FORGOTTEN_MS }: Deleting,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await closeProject(tx, projectId, now);
    await raiseConfigVersion(tx, projectId);
  });
  await sleep(waitMs);
  const tables = await readEmptied(db);
  for (let tries = 1; ; tries++) {
    for (const table of tables) await emptyTable(db, projectId, table);
    try {
      return await deleteProjectRow(db, projectId);
    } catch (error) {
      // A running server may have written a rollup or a delivery meanwhile: empty the tables once more.
      if (tries === MAX_TRIES || sqlState(error) !== SQLSTATE.foreignKeyViolation) throw error;
    }
  }
}
