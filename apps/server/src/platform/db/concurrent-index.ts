import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { isContention, SQLSTATE, sqlState } from "./db.ts";
import type { ConcurrentIndex } from "./migration-file.pure.ts";
import { liftCeilings } from "./transactions/lock.ts";

/** How often a build of another connection is looked at. */
const LOOK_MS = 200;
/** How often a build is begun that lost a deadlock, or whose name another connection took. */
const MAX_TRIES = 5;

/** Whether PostgreSQL itself is at the other end: a pooler gives its clients numbers of its own as those of their processes. */
async function isDirect(client: pg.PoolClient): Promise<boolean> {
  const { processID } = client as pg.PoolClient & { processID?: number | null };
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid === processID;
}

/** The index of that name: its oid, and whether it is complete; null where there is none. */
async function findIndex(
  client: pg.PoolClient,
  { name }: ConcurrentIndex,
): Promise<{ oid: number; valid: boolean } | null> {
  const { rows } = await client.query<{ oid: number; valid: boolean }>(
    "select indexrelid as oid, indisvalid as valid from pg_index where indexrelid = to_regclass($1)",
    [name],
  );
  return rows[0] ?? null;
}

/** Whether an index of the table is being built. A build of another role shows no table to this one, so it counts as well. */
async function isBuilding(client: pg.PoolClient, { table }: ConcurrentIndex): Promise<boolean> {
  const { rows } = await client.query<{ building: boolean }>(
    `select exists (
      select from pg_stat_progress_create_index
      where datname = current_database() and coalesce(relid = to_regclass($1), true)
    ) as building`,
    [table],
  );
  return rows[0]?.building === true;
}

/**
 * What is there of an index: all, nothing, or what a build left that was interrupted. Waits while another connection builds on its
 * table: PostgreSQL ends a build that is under way only when it has to answer its client, which may have been killed long ago.
 */
async function stateOf(
  client: pg.PoolClient,
  index: ConcurrentIndex,
): Promise<"valid" | "absent" | "broken"> {
  for (;;) {
    const before = await findIndex(client, index);
    if (before?.valid === true) return "valid";
    if (await isBuilding(client, index)) {
      await sleep(LOOK_MS);
      continue;
    }
    // A build that ended between the two looks has made its index valid by now.
    const now = await findIndex(client, index);
    if (now === null && before === null) return "absent";
    if (now?.oid === before?.oid && now?.valid === false) return "broken";
  }
}

/** Whether another connection was in the way: then what there is now is looked at again. */
const isOvertaken = (error: unknown): boolean =>
  isContention(error) || sqlState(error) === SQLSTATE.duplicateTable;

const drop = (client: pg.PoolClient, { name }: ConcurrentIndex): Promise<unknown> =>
  client.query(`drop index concurrently if exists ${name}`);

/**
 * Builds an index unless it is there, and builds one anew that is not complete. Only for the process that has the lock of migrations, in a
 * transaction that has no snapshot meanwhile. What fails leaves nothing, so that the next try begins anew.
 */
async function build(client: pg.PoolClient, index: ConcurrentIndex, tries = 1): Promise<void> {
  const standing = await stateOf(client, index);
  if (standing === "valid") return;
  try {
    if (standing === "broken") await drop(client, index);
    await client.query(index.statement);
  } catch (error) {
    if (isOvertaken(error) && tries < MAX_TRIES) return build(client, index, tries + 1);
    // An incomplete unique index may refuse rows already. Where dropping it fails as well, the next try drops it.
    if ((await findIndex(client, index).catch(() => null))?.valid === false)
      await drop(client, index).catch(() => undefined);
    throw error;
  }
}

/**
 * Builds the indexes that are not there yet, one by one, on a connection of their own without a transaction; others write meanwhile.
 * @throws the error of PostgreSQL where a build fails: nothing is left of it then
 */
export async function buildConcurrently(pool: pg.Pool, indexes: readonly ConcurrentIndex[]): Promise<void> {
  const client = await pool.connect();
  try {
    // Through a pooler by transaction the setting would stay with a connection that others get, and the build might have another one:
    // there the timeouts of the role stand, and a build that they end says which one has to be raised.
    if (await isDirect(client)) await liftCeilings(client, "closed");
    for (const index of indexes) await build(client, index);
  } finally {
    // The pool must not hand out a connection without ceilings.
    client.release(true);
  }
}
