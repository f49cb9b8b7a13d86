import { sql } from "kysely";
import type { Db } from "./db/db.ts";
import { lookAtOneProject, type OneProject } from "./db/one-project.ts";
import { port } from "./runtime.ts";

/** Something that must always be true, recounted by `tidings doctor`: any difference is a fault of Tidings. */
export type Check = {
  /** Unique, and named in the docs. */
  name: string;
  /** Which of the invariants in docs/internals/data.md it proves. */
  invariant: number;
  /**
   * What is compared. `derived`: a stored number with the rows that it is counted from, which are right. `facts`: rows that contradict
   * each other, so that the doctor cannot tell which is right.
   */
  compares: "derived" | "facts";
  /** Counts the rows that differ, in every project. */
  countDifferences: (db: Db) => Promise<number>;
};

/** Every check of the house, which only its root knows. */
export const houseChecks = port<() => readonly Check[]>("checks of the house");

/**
 * The result of a check; `milliseconds` is how long it took. `key`: the operator's secret key, which no statement can check. `service`: what
 * another service does not take from Tidings, where no row is wrong.
 */
export type CheckFinding = Pick<Check, "name" | "invariant"> & {
  compares: Check["compares"] | "key" | "service";
  differences: number;
  milliseconds: number;
};

/**
 * Runs checks one after the other on one snapshot, so that a running server's transactions are seen whole or not at all. With a
 * project, reads only its rows. Writes nothing.
 */
export async function* recount(
  db: Db,
  checks: readonly Check[],
  project: OneProject | null = null,
): AsyncGenerator<CheckFinding> {
  const tx = await db.startTransaction().setIsolationLevel("repeatable read").execute();
  try {
    if (project !== null) await lookAtOneProject(tx, project);
    yield* recountIn(tx, checks);
  } finally {
    // Removes the views of one project, which are part of the transaction.
    await tx.rollback().execute();
  }
}

/** Runs checks one after the other in a transaction that the caller has open, and ends: they see what it wrote. */
export async function* recountIn(tx: Db, checks: readonly Check[]): AsyncGenerator<CheckFinding> {
  await prepare(tx);
  for (const { name, invariant, compares, countDifferences } of checks) {
    const startedAt = performance.now();
    const differences = await countDifferences(tx);
    const milliseconds = Math.round(performance.now() - startedAt);
    yield { name, invariant, compares, differences, milliseconds };
  }
}

/** Whole tables are joined here, by hashes that should fit into memory; compiling the statements costs more than it saves. */
async function prepare(tx: Db): Promise<void> {
  await sql`set local work_mem = '128MB'`.execute(tx);
  await sql`set local jit = off`.execute(tx);
}
