import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";

const epochMs = (column: string) => sql.raw<number>(`floor(extract(epoch from ${column}) * 1000)::int8`);

type ProcessRow = {
  id: string;
  serves: boolean;
  works: boolean;
  looksAfter: boolean;
  seenAt: number;
  isStale: boolean;
};

/** The processes on this database, in the order in which they began. `staleMs`: after so long without a heartbeat one counts as gone. */
export async function listProcesses(db: Db, staleMs: number): Promise<ProcessRow[]> {
  const { rows } = await sql<ProcessRow>`
    select lease_owner as id, serves, works, looks_after as "looksAfter", ${epochMs("seen_at")} as "seenAt",
      seen_at <= clock_timestamp() - ${staleMs} * interval '1 millisecond' as "isStale"
    from ${t.processes} order by lease_owner limit 1000`.execute(db);
  return rows;
}

type TurnRow = { name: string; dueAt: number; isRunning: boolean; failures: number };

/** Work that one process at a time does, what is due first. */
export async function listTurns(db: Db): Promise<TurnRow[]> {
  const { rows } = await sql<TurnRow>`
    select name, ${epochMs("due_at")} as "dueAt", lease_owner is not null as "isRunning", failures
    from ${t.loopTurns} order by due_at, name limit 1000`.execute(db);
  return rows;
}

type Size = { version: string; bytes: number; applied: number; last: string | null; lastAt: number | null };

/** What PostgreSQL says of itself and of the database, with the migrations that were applied. */
export async function readDatabase(db: Db): Promise<Size> {
  const { rows } = await sql<Size>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes, m.*
    from (
      select count(*) as applied, max(name) as last, ${epochMs("max(applied_at)")} as "lastAt" from ${t.migrations}
    ) m`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("The database says nothing of itself.");
  return row;
}

type TableRow = { name: string; bytes: number; rows: number | null };

/** The largest tables with their indexes; rows as PostgreSQL last counted them, null where it has not yet. */
export async function listLargestTables(db: Db, limit: number): Promise<TableRow[]> {
  const { rows } = await sql<TableRow>`
    select relname as name, pg_total_relation_size(oid) as bytes, nullif(reltuples, -1)::int8 as rows
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    order by pg_total_relation_size(oid) desc, relname limit ${limit}`.execute(db);
  return rows;
}
