import { setTimeout as sleep } from "node:timers/promises";
import { houseTables, type Table } from "../../domain/house-tables.ts";
import { type Db, SQLSTATE, sqlState } from "../../platform/db/db.ts";
import type { App } from "../../platform/runtime.ts";
import { SECOND_MS } from "../../platform/time/clock.ts";
import { raiseConfigVersion } from "../access/public.ts";
import { removeMirrors } from "../sources/registry/public.ts";
import {
  closeProject as closeRow,
  deleteProjectRow,
  emptyTable,
  findClosedAcrossProjects,
  readEmptied,
} from "./delete-store.ts";

/** A running server caches a key for 5 seconds: until then it may still write for the project. */
const KEYS_ARE_FORGOTTEN_MS = 6 * SECOND_MS;

const MAX_TRIES = 10;

export type Deleting = {
  projectId: string;
  /** Every table of the house. */
  tables: readonly Table[];
  /** Epoch milliseconds. */
  now: number;
  /** How long to wait between closing the project and deleting its rows; for tests. */
  waitMs?: number;
};

/**
 * Closes a project: it is in no list any more, its keys stop working, its campaigns end. Its rows go soon after, by `deleteRows`. Answers
 * its name, null where there is no such project. Needs a transaction.
 */
export async function closeProject(tx: Db, projectId: string, now: number): Promise<string | null> {
  const name = await closeRow(tx, projectId, now);
  if (name !== null) await raiseConfigVersion(tx, projectId);
  return name;
}

/** Deletes the rows of a closed project, table by table, its own row last: after an interruption it can be run again. */
async function deleteRows(db: Db, projectId: string, tables: readonly Table[]): Promise<void> {
  const emptied = await readEmptied(db, tables);
  for (let tries = 1; ; tries++) {
    for (const table of emptied) await emptyTable(db, projectId, table);
    try {
      return await deleteProjectRow(db, projectId);
    } catch (error) {
      // A running server may have written a rollup or a delivery meanwhile: empty the tables once more.
      if (tries === MAX_TRIES || sqlState(error) !== SQLSTATE.foreignKeyViolation) throw error;
    }
  }
}

/** Deletes a project and all its rows for good, also while servers run. What is interrupted, the next server finishes. */
export async function deleteProject(
  db: Db,
  { projectId, tables, now, waitMs = KEYS_ARE_FORGOTTEN_MS }: Deleting,
): Promise<void> {
  await db.transaction().execute((tx) => closeProject(tx, projectId, now));
  await sleep(waitMs);
  await deleteRows(db, projectId, tables);
}

/**
 * Deletes the rows of all projects that were closed for so long that no server writes for them, and what this server keeps of their
 * repositories.
 * @throws the first error, once every project has had its turn
 */
export async function deleteClosedProjects(
  { ask, database, clock, config }: Pick<App, "ask" | "database" | "clock" | "config">,
  signal: AbortSignal,
): Promise<void> {
  // A table of a large project takes longer than a request may.
  const db = database.background.kysely;
  const faults: unknown[] = [];
  for (const projectId of await findClosedAcrossProjects(db, clock() - KEYS_ARE_FORGOTTEN_MS)) {
    if (signal.aborted) return;
    try {
      await removeMirrors(config, projectId);
      await deleteRows(db, projectId, ask(houseTables)());
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
}
