import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { ListWindow, ReadableUntil, SyncListName } from "../rules.ts";
import type { SyncWindow } from "../schema.ts";

/** A file of a window that is in its place. `sha256` is in hexadecimal digits. */
export type WrittenFile = { name: string; rows: number; bytes: number; sha256: string };

/**
 * A window that is begun and not complete. `readTo`: how far its list is read; null where it is not begun, or where all of it is in the files.
 * `begunAt` is epoch milliseconds.
 */
export type OpenWindow = ListWindow & {
  list: SyncListName;
  files: readonly WrittenFile[];
  readTo: unknown;
  begunAt: number;
};

const COLUMNS = sql`w.list, w.since, w.until, w.folder, w.files, w.read_to as "readTo", w.begun_at as "begunAt"`;

/** The window of a list that is begun and not complete; null where there is none. */
export async function findOpenWindow(
  db: Db,
  projectId: string,
  { syncId, list }: { syncId: string; list: SyncListName },
): Promise<OpenWindow | null> {
  const { rows } = await sql<OpenWindow>`
    select ${COLUMNS} from ${t.syncWindows} w
    where w.sync_id = ${syncId} and w.list = ${list} and w.project_id = ${projectId} and w.ended_at is null
    order by w.until limit 1`.execute(db);
  return rows[0] ?? null;
}

/** The end of the last window of each list, of those that ended by `now` (epoch ms), and what was written of it in all. */
export async function readProgress(
  db: Db,
  projectId: string,
  syncIds: readonly string[],
): Promise<{ syncId: string; list: SyncListName; doneUntil: number | null; rows: number; bytes: number }[]> {
  const { rows } = await sql<{
    syncId: string;
    list: SyncListName;
    doneUntil: number | null;
    rows: number;
    bytes: number;
  }>`
    select w.sync_id as "syncId", w.list, max(w.until) filter (where w.ended_at is not null) as "doneUntil",
      sum(w.rows)::int8 as rows, sum(w.bytes)::int8 as bytes
    from ${t.syncWindows} w
    where w.project_id = ${projectId} and w.sync_id = any(${[...syncIds]}::uuid[])
    group by 1, 2`.execute(db);
  return rows;
}

/**
 * Until when all events that arrived can be read. An event is dated while it is recorded, so that one which arrived before an instant is of a
 * transaction that had begun by then: such a transaction may not have ended yet, or this server may not see it.
 */
export async function readReadableUntil(db: Db): Promise<ReadableUntil> {
  const { rows } = await sql<ReadableUntil>`
    select (extract(epoch from clock_timestamp()) * 1000)::int8 as now, coalesce((
      select (extract(epoch from min(a.xact_start)) * 1000)::int8 from pg_stat_activity a
      where a.datname = current_database() and a.backend_xid is not null
    ), (extract(epoch from clock_timestamp()) * 1000)::int8) as closed`.execute(db);
  return rows[0] ?? { now: 0, closed: 0 };
}

/** A process that writes a sync, which it has taken. */
export type Writer = { syncId: string; leaseOwner: string };

/** SQL: the process has the sync still. */
const hasSync = (projectId: string, { syncId, leaseOwner }: Writer) => sql`exists (
    select from ${t.syncs} s
    where s.id = ${syncId} and s.project_id = ${projectId} and s.state = 'on' and s.lease_owner = ${leaseOwner}
  )`;

/** Whether the process has the sync still. */
export async function stillHasSync(db: Db, projectId: string, writer: Writer): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`select ${hasSync(projectId, writer)} as has`.execute(db);
  return rows[0]?.has === true;
}

/** Begins a window. Answers false where the process does not have the sync any more. */
export async function beginWindow(
  db: Db,
  projectId: string,
  writer: Writer,
  { list, since, until, folder, begunAt }: Omit<OpenWindow, "files" | "readTo">,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into ${t.syncWindows} (sync_id, list, until, project_id, since, folder, begun_at)
    select ${writer.syncId}, ${list}, ${until}, ${projectId}, ${since}, ${folder}, ${begunAt}
    where ${hasSync(projectId, writer)}`.execute(db);
  return numAffectedRows === 1n;
}

/** Writes down that a file is in its place, and how far the list is. Answers false where the process does not have the sync any more. */
export async function keepFile(
  db: Db,
  projectId: string,
  writer: Writer,
  { list, until, file, readTo }: { list: SyncListName; until: number; file: WrittenFile; readTo: unknown },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${t.syncWindows} w
    set files = w.files || ${JSON.stringify([file])}::jsonb, rows = w.rows + ${file.rows}, bytes = w.bytes + ${file.bytes},
      read_to = ${readTo === null ? null : JSON.stringify(readTo)}::jsonb
    where w.sync_id = ${writer.syncId} and w.list = ${list} and w.until = ${until} and w.project_id = ${projectId}
      and w.ended_at is null and ${hasSync(projectId, writer)}`.execute(db);
  return numAffectedRows === 1n;
}

/** Ends a window whose manifest is in its place. `at` is epoch milliseconds. */
export async function finishWindow(
  db: Db,
  projectId: string,
  writer: Writer,
  { list, until, at }: { list: SyncListName; until: number; at: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${t.syncWindows} w set ended_at = ${at}, read_to = null
    where w.sync_id = ${writer.syncId} and w.list = ${list} and w.until = ${until} and w.project_id = ${projectId}
      and w.ended_at is null and ${hasSync(projectId, writer)}`.execute(db);
  return numAffectedRows === 1n;
}

/** Windows of a sync, the latest first. */
export async function listWindows(
  db: Db,
  projectId: string,
  syncId: string,
  { list, skip, limit }: { list: SyncListName | undefined; skip: number; limit: number },
): Promise<SyncWindow[]> {
  const { rows } = await sql<SyncWindow>`
    select w.list, w.since, w.until, w.folder, jsonb_array_length(w.files) as files, w.rows, w.bytes,
      w.begun_at as "begunAt", w.ended_at as "endedAt"
    from ${t.syncWindows} w
    where w.sync_id = ${syncId} and w.project_id = ${projectId} and ${list === undefined ? sql`true` : sql`w.list = ${list}`}
    order by w.until desc, w.list limit ${limit} offset ${skip}`.execute(db);
  return rows;
}
