import { sql } from "kysely";
import { exportedTables, type Table } from "../../domain/house-tables.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { rowFilter } from "../../platform/db/statements/fragment.ts";
import { textQuery } from "../../platform/db/statements/text-query.ts";

/** Pages of a table (8 KB each) that one transaction reads, so that none is very long. */
const PAGES_AT_ONCE = 4_096;

/** A project that has at most so many rows of a table is deleted there through the table's index by project, where it has one. */
const FEW = 10_000;

/**
 * A table with rows of projects, and the condition that selects those of the project `$1`. `isIndexed`: whether an index finds them.
 */
type Emptied = { name: string; where: string; hasLane: boolean; isIndexed: boolean };

/** Tables with rows of projects, in an order in which no foreign key of a later table refers to an earlier one. */
export async function readEmptied(db: Db, tables: readonly Table[]): Promise<Emptied[]> {
  const { rows } = await sql<{ name: string; hasProject: boolean; hasLane: boolean; isIndexed: boolean }>`
    select c.relname as name, bool_or(a.attname = 'project_id') as "hasProject", bool_or(a.attname = 'lane') as "hasLane",
      bool_or(a.attname = 'project_id' and exists (
        select from pg_index i where i.indrelid = c.oid and i.indpred is null and i.indkey[0] = a.attnum
      )) as "isIndexed"
    from pg_class c join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace group by 1 order by 1`.execute(
    db,
  );
  const exported = new Map(exportedTables(tables).map((table, place) => [table.name, { ...table, place }]));
  return rows
    .filter(({ name, hasProject }) => hasProject || exported.get(name)?.where !== undefined)
    .map(({ name, hasLane, isIndexed }) => ({
      name,
      hasLane,
      isIndexed,
      where: exported.get(name)?.where ?? "t.project_id = $1",
    }))
    .sort(
      (a, b) => (exported.get(b.name)?.place ?? Infinity) - (exported.get(a.name)?.place ?? Infinity) || 0,
    );
}

/** Deletes the rows that a condition describes, in a transaction of its own. */
async function removeRows(db: Db, name: string, where: string, values: readonly unknown[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await allowDeletion(tx);
    await textQuery(tx, `delete from "${name}" t where ${where}`, values);
  });
}

/** Deletes a project's rows of a table through an index, unless there are many; answers whether it did. */
async function removeFew(db: Db, { name, where }: Emptied, projectId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    // Old statistics may know nothing of the project, or that nearly all rows were of it.
    await sql`set local enable_seqscan = off`.execute(tx);
    const [found] = await textQuery<{ rows: number }>(
      tx,
      `select count(*) as rows from (select from "${name}" t where ${where} limit ${FEW + 1}) theirs`,
      [projectId],
    );
    if (found === undefined || found.rows > FEW) return false;
    await allowDeletion(tx);
    await textQuery(tx, `delete from "${name}" t where ${where}`, [projectId]);
    return true;
  });
}

/** How many pages a table has now. */
async function countPages(db: Db, { name }: Emptied): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select pg_relation_size(${`"${name}"`}::regclass) / current_setting('block_size')::int8 as pages`.execute(
    db,
  );
  return rows[0]?.pages ?? 0;
}

/**
 * Deletes a project's rows of a table. Tables with lanes are large, and most have no index by project, so such a table is read once, from its
 * first page to its last, some pages in each transaction. Lane by lane it would be read many times, because the rows of a lane lie everywhere.
 */
export async function emptyTable(db: Db, projectId: string, table: Emptied): Promise<void> {
  const { name, where } = table;
  if (!table.hasLane) return removeRows(db, name, where, [projectId]);
  if (table.isIndexed && (await removeFew(db, table, projectId))) return;
  const inPages = `${rowFilter(where)} and t.ctid >= $2::tid and t.ctid < $3::tid`;
  const pages = await countPages(db, table);
  for (let page = 0; page < pages; page += PAGES_AT_ONCE)
    await removeRows(db, name, inPages, [projectId, `(${page},0)`, `(${page + PAGES_AT_ONCE},0)`]);
}

/** Allows this transaction to delete rows of logs, to which others can only append. */
async function allowDeletion(tx: Tx): Promise<void> {
  await sql`set local tidings.deletes_project = 'on'`.execute(tx);
}

/** Closes a project: its keys stop working, and its campaigns end. Answers its name; null where there is none that is not closed. */
export async function closeProject(tx: Db, projectId: string, now: number): Promise<string | null> {
  const closed = await tx
    .updateTable("projects")
    .set({ deletedAt: now })
    .where("id", "=", projectId)
    .where("deletedAt", "is", null)
    .returning("name")
    .executeTakeFirst();
  if (closed === undefined) return null;
  await tx.deleteFrom("demoShop").where("projectId", "=", projectId).execute();
  await tx.deleteFrom("apiKeys").where("projectId", "=", projectId).execute();
  await tx
    .updateTable("campaigns")
    .set({ status: "ended", endedAt: now })
    .where("projectId", "=", projectId)
    .where("status", "<>", "ended")
    .execute();
  return closed.name;
}

/** Projects that were closed until an instant (epoch ms), and still have their row. */
export async function findClosedAcrossProjects(db: Db, until: number): Promise<string[]> {
  const rows = await db
    .selectFrom("projects")
    .select("id")
    .where("deletedAt", "<=", until)
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

export async function deleteProjectRow(db: Db, projectId: string): Promise<void> {
  await db.deleteFrom("projects").where("id", "=", projectId).execute();
}
