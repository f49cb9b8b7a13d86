import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_MS } from "../../platform/clock.ts";
import { type Db, SQLSTATE, sqlState } from "../../platform/db/db.ts";
import { raiseConfigVersion } from "../access/public.ts";
import { closeProject, deleteProjectRow, emptyTable, readEmptied } from "./delete-store.ts";

/** A running server believes a key for 5 seconds after it was looked up: until then it may still write for the project. */
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
 * Deletes a project with everything that is stored for it, for good, beside running servers. It is closed first (its keys stop
 * working, its campaigns end), then emptied table by table, and its own row is deleted last: after an interruption it can be run again.
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
      // Meanwhile a running server may have written a rollup or a delivery: the tables are emptied once more.
      if (tries === MAX_TRIES || sqlState(error) !== SQLSTATE.foreignKeyViolation) throw error;
    }
  }
}
