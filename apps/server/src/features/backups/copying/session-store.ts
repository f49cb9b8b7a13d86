import { randomBytes } from "node:crypto";
import type pg from "pg";
import { tryLockConnection } from "../../../platform/db/transactions/lock.ts";

/** What a copy of the files begins with. */
export type BackupSession = {
  /** Number of this database cluster, which its copies have as well. */
  cluster: string;
  /** The first segment of the write-ahead log that the copy needs. */
  firstSegment: string;
};

/** What a copy of the files ends with. */
export type BackupEnd = {
  lastSegment: string;
  /** Text of the file `backup_label`, without which PostgreSQL would take the copied files for those of one instant. */
  label: string;
};

/** Number of a database cluster: it was drawn when the cluster was made, and copies have it as well. */
export async function findCluster(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ cluster: string }>(
    "select system_identifier::text as cluster from pg_control_system()",
  );
  return onlyOf(rows).cluster;
}

/**
 * From now on files may be copied while PostgreSQL writes: it writes each page whole to the log first, and keeps the log. Both end with the
 * connection, however that ends. Null where another process makes a backup.
 */
export async function beginSession(client: pg.Client): Promise<BackupSession | null> {
  if (!(await tryLockConnection(client, "backUp"))) return null;
  const slot = `tidings_backup_${randomBytes(4).toString("hex")}`;
  // A temporary one: it is gone with the connection, so that a killed backup does not keep the log for ever.
  await client.query("select pg_create_physical_replication_slot($1, true, true)", [slot]);
  const { rows } = await client.query<BackupSession>(
    `select (select system_identifier::text from pg_control_system()) as cluster,
      pg_walfile_name(pg_backup_start('tidings', true)) as "firstSegment"`,
  );
  return onlyOf(rows);
}

/** Ends the copying: the log up to here is complete on disk, and has everything that changed while files were copied. */
export async function endSession(client: pg.Client): Promise<BackupEnd> {
  const { rows } = await client.query<BackupEnd>(
    `select pg_walfile_name(lsn - 1) as "lastSegment", labelfile as label from pg_backup_stop(false)`,
  );
  return onlyOf(rows);
}

/**
 * Fails where the connection was lost since the session began: PostgreSQL may have removed log that was not copied yet, or written other log
 * into its files.
 */
export async function assertKept(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(
    "select from pg_replication_slots where active_pid = pg_backend_pid() and wal_status <> 'lost'",
  );
  if (rowCount !== 1) throw new Error("PostgreSQL did not keep the log of a backup.");
}

function onlyOf<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error("PostgreSQL did not answer what it was sent.");
  return row;
}
