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
  backUp: 7_403_006,
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

/** Takes the lock for as long as the connection is open, without waiting: answers whether it did. */
export async function tryLockConnection(client: pg.Client, name: LockName): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [
    LOCKS[name],
  ]);
  return rows[0]?.taken ?? false;
}

/** Settings by which a role, a database or a pool would end work that takes as long as it needs. */
const CEILINGS = "{statement_timeout,lock_timeout,transaction_timeout}";

/** Lifts the ceilings on what a statement or a transaction may take: of this transaction, or of the connection for as long as it is open. */
export async function liftCeilings(client: pg.PoolClient, until: "commit" | "closed"): Promise<void> {
  await client.query("select set_config(name, '0', $1) from pg_settings where name = any ($2::text[])", [
    until === "commit",
    CEILINGS,
  ]);
}

/**
 * Begins a transaction that has the lock until its end, and may take as long as it needs, whatever the role is set to. Answers whether
 * it did: where another process has the lock, no transaction is left. It never waits for the lock, because a statement that waits has a
 * snapshot, and an index that the owner of the lock builds concurrently would wait for that snapshot to end. A lock of the session
 * would not do: through a pooler by transaction it would stay with a connection that another client gets.
 */
export async function tryBeginLocked(client: pg.PoolClient, name: LockName): Promise<boolean> {
  // What the last owner of the lock has committed is seen by the statements after it. Between them there is no snapshot.
  await client.query("begin isolation level read committed");
  await liftCeilings(client, "commit");
  const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_xact_lock($1) as taken", [
    LOCKS[name],
  ]);
  if (rows[0]?.taken === true) return true;
  await client.query("rollback");
  return false;
}
