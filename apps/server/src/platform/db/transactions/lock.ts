import { sql } from "kysely";
import type pg from "pg";
import { type Db, SQLSTATE, sqlState } from "../db.ts";

/** Work that only one process on a database does at a time. The numbers are arbitrary, and never change. */
const LOCKS = {
  migrate: 7_403_001,
  firstProject: 7_403_002,
  demoShop: 7_403_003,
  applyDeltas: 7_403_004,
  demoMonth: 7_403_005,
} as const;

/** The work for which an advisory lock is taken. */
export type LockName = keyof typeof LOCKS;

/** Takes the lock, when no other process has it, until the end of the transaction. */
export async function lockUntilCommit(tx: Db, name: LockName): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS[name]})`.execute(tx);
}

/**
 * As `lockUntilCommit`, for one project's work: other projects do not wait for it. Answers whether it got the lock; if not, the
 * transaction has failed and ends without effect. No statement of the transaction waits for a lock longer than `waitMs` milliseconds.
 */
export async function lockProjectUntilCommit(
  tx: Db,
  name: LockName,
  { projectId, waitMs }: { projectId: string; waitMs: number },
): Promise<boolean> {
  try {
    await sql`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`.execute(tx);
    await sql`select pg_advisory_xact_lock(${LOCKS[name]}::int4, hashtext(${projectId}))`.execute(tx);
    return true;
  } catch (error) {
    if (sqlState(error) === SQLSTATE.lockNotAvailable) return false;
    throw error;
  }
}

/** Takes the lock for one project's work until the end of the transaction, without waiting: answers whether it did. */
export async function tryLockProjectUntilCommit(tx: Db, name: LockName, projectId: string): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${LOCKS[name]}::int4, hashtext(${projectId})) as taken`.execute(tx);
  return rows[0]?.taken ?? false;
}

/**
 * Begins a transaction that has the lock until its end, and may take as long as it needs, whatever the role is set to. A lock of the
 * session would not do: through a pooler by transaction it would stay with a connection that another client gets.
 */
export async function beginLocked(client: pg.PoolClient, name: LockName): Promise<void> {
  // What the last owner of the lock has committed is seen by the statements after it.
  await client.query("begin isolation level read committed");
  await client.query(
    `set local statement_timeout = 0; set local lock_timeout = 0; select pg_advisory_xact_lock(${LOCKS[name]})`,
  );
}
