/**
 * What of the folder of a PostgreSQL belongs into a copy that is made while it runs. The lists are those of PostgreSQL's documentation
 * (Continuous Archiving and Point-in-Time Recovery, Making a Base Backup Using the Low Level API).
 */

/** Folders of which only the folder itself is copied: what is in them is of the running server alone. */
const EMPTY: readonly string[] = [
  "pg_dynshmem",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
  "pg_wal",
];

/** Files of the running server, and of an earlier copy that it was started from. */
const OF_THE_SERVER: readonly string[] = [
  "postmaster.pid",
  "postmaster.opts",
  "backup_label",
  "backup_label.old",
  "backup_manifest",
  "tablespace_map",
  "tablespace_map.old",
];

/** The file that says from where PostgreSQL begins. It is copied after all others. */
export const CONTROL_FILE = "global/pg_control";

/** Whether what is in this folder is copied. @param path from the folder of the database, with `/` */
export const isFolderRead = (path: string): boolean => !EMPTY.includes(path) && !isTemporary(path);

/** Whether a file is copied with the others. @param path as above */
export const isFileCopied = (path: string): boolean =>
  path !== CONTROL_FILE && !OF_THE_SERVER.includes(path) && !isTemporary(path);

function isTemporary(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.startsWith("pgsql_tmp") || name.startsWith("pg_internal.init");
}

/** A segment of the write-ahead log: timeline, and place in it, of hexadecimal digits that sort as they follow each other. */
const SEGMENT = /^[0-9A-F]{24}$/;

/** The segments from one to another, and the histories of timelines. @param names of files in `pg_wal` */
export const neededOf = (names: readonly string[], first: string, last: string): string[] =>
  names.filter((name) => (SEGMENT.test(name) && name >= first && name <= last) || name.endsWith(".history"));
