import { type Selectable, sql } from "kysely";
import type { Db, Tables } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import type { SyncListName } from "./rules.ts";
import type { Place } from "./schema.ts";

type Row = Selectable<Tables["syncs"]>;

/** A sync that was not deleted. `destination` is a `Place`. */
export type SyncRow = Omit<Row, "deletedAt">;

/** The syncs of a project, in the order in which they were made; of one of them where an id is given. */
export async function listSyncRows(db: Db, projectId: string, id?: string): Promise<SyncRow[]> {
  return db
    .selectFrom("syncs")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("deletedAt", "is", null)
    .$if(id !== undefined, (query) => query.where("id", "=", id ?? ""))
    .orderBy("madeAt")
    .orderBy("id")
    .execute();
}

/** Locks a sync until the transaction ends, so that what it is about to be changed to is decided once. */
export async function lockSync(db: Db, projectId: string, id: string): Promise<void> {
  await db
    .selectFrom("syncs")
    .select("id")
    .where("id", "=", id)
    .where("projectId", "=", projectId)
    .forNoKeyUpdate()
    .execute();
}

/** What is set of a new sync. `at` and `dueAt` are epoch milliseconds; `beginsAt` by the clock of the database. */
export type NewSync = {
  id: string;
  lists: readonly SyncListName[];
  format: string;
  every: string;
  place: string;
  destination: Place;
  sealed: Buffer | null;
  beginsAt: number | null;
  by: string;
  at: number;
};

/** Answers false where another sync has, or had, the same place. */
export async function insertSync(db: Db, projectId: string, sync: NewSync): Promise<boolean> {
  const { id, lists, format, every, place, destination, sealed, beginsAt, by, at } = sync;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("syncs")
    .values({
      id,
      projectId,
      lists: [...lists],
      format,
      every,
      place,
      destination: JSON.stringify(destination),
      sealed,
      beginsAt,
      dueAt: at,
      madeBy: by,
      madeAt: at,
      changedAt: at,
    })
    .onConflict((conflict) => conflict.column("place").doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** What may be changed of a sync; what is left out stays. */
export type SyncChange = {
  lists?: readonly SyncListName[] | undefined;
  state?: "on" | "off" | undefined;
  keys?: { destination: Place; sealed: Buffer } | undefined;
};

/** Changes a sync, and has it looked at soon. `at` is epoch milliseconds. */
export async function changeSyncRow(
  db: Db,
  projectId: string,
  id: string,
  { lists, state, keys }: SyncChange,
  at: number,
): Promise<void> {
  await db
    .updateTable("syncs")
    .set({ changedAt: at, dueAt: at })
    .$if(lists !== undefined, (query) => query.set({ lists: [...(lists ?? [])] }))
    .$if(state !== undefined, (query) => query.set({ state: state ?? "on" }))
    .$if(keys !== undefined, (query) =>
      query.set({ destination: JSON.stringify(keys?.destination), sealed: keys?.sealed ?? null }),
    )
    .where("id", "=", id)
    .where("projectId", "=", projectId)
    .where("deletedAt", "is", null)
    .execute();
}

/** Has a sync that is on looked at now. `at` is epoch milliseconds. */
export async function makeDue(db: Db, projectId: string, id: string, at: number): Promise<void> {
  await db
    .updateTable("syncs")
    .set({ dueAt: at })
    .where("id", "=", id)
    .where("projectId", "=", projectId)
    .where("state", "=", "on")
    .execute();
}

/** Deletes a sync: of it, that its place has files stays. `at` is epoch milliseconds. */
export async function removeSync(db: Db, projectId: string, id: string, at: number): Promise<void> {
  await db
    .updateTable("syncs")
    .set({ state: "off", sealed: null, destination: "{}", fault: null, deletedAt: at, changedAt: at })
    .where("id", "=", id)
    .where("projectId", "=", projectId)
    .execute();
  await sql`delete from ${t.syncWindows} where sync_id = ${id} and project_id = ${projectId}`.execute(db);
}

/** The clock of the database, epoch milliseconds. */
export async function readDatabaseClock(db: Db): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::int8 as now`.execute(db);
  return rows[0]?.now ?? 0;
}
