import { sql } from "kysely";
import type { ExportedTable } from "../../domain/house-tables.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { textQuery } from "../../platform/db/statements/text-query.ts";
import { secretColumn } from "./secrets.ts";

/** Rows that are read at once, where the table declares no number. */
const PAGE = 500;

/** Columns of all tables, in their order. */
export async function readColumns(db: Db): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select table_name as name, array_agg(column_name::text order by ordinal_position) as columns
    from information_schema.columns where table_schema = current_schema() group by 1`.execute(db);
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

/** The last migration of the database. */
export async function lastMigration(db: Db): Promise<string> {
  const { name } = await db
    .selectFrom("migrations")
    .select("name")
    .orderBy("name", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();
  return name;
}

export async function findProjectName(db: Db, projectId: string): Promise<string | null> {
  const row = await db.selectFrom("projects").select("name").where("id", "=", projectId).executeTakeFirst();
  return row?.name ?? null;
}

/** Whether a column is written to the file. The other columns are computed from these. */
export const travels = ({ columns }: ExportedTable, column: string): boolean => {
  const treatment = columns[column] ?? "";
  return (
    column !== "project_id" &&
    !treatment.startsWith("lane of ") &&
    !["numbered anew", "cleared"].includes(treatment)
  );
};

function selected(table: ExportedTable, column: string): string {
  const isBytes = ["bytes", "secret"].includes(table.columns[column] ?? "");
  return isBytes ? `replace(encode(t."${column}", 'base64'), E'\\n', '') as "${column}"` : `t."${column}"`;
}

const rowsOf = (table: ExportedTable, fields: readonly string[], where = "true"): string => `
  select row_to_json(r)::text as text from (
    select ${fields.join(", ")} from "${table.name}" t
    where ${table.where ?? "t.project_id = $1"} and ${table.only ?? "true"} and ${where}
    ${table.orderBy === undefined ? "" : `order by ${table.orderBy}`}
  ) r`;

/**
 * The project's rows of a table as JSON, a page at a time, through a cursor in the caller's transaction. Rows with a secret come only
 * with `withSecrets`, and the secret is still sealed, in base64.
 */
export async function* readRows(
  tx: Tx,
  projectId: string,
  table: ExportedTable,
  { columns, withSecrets }: { columns: readonly string[]; withSecrets: boolean },
): AsyncGenerator<string[]> {
  const beside = Object.entries(table.beside ?? {}).map(([name, text]) => `${text} as "${name}"`);
  const fields = [...columns.map((column) => selected(table, column)), ...beside];
  const secret = secretColumn(table);
  const open = secret === null || withSecrets ? "true" : `t."${secret}" is null`;
  const query = rowsOf(table, fields, open);
  await textQuery(tx, `declare exported no scroll cursor for ${query}`, [projectId]);
  for (;;) {
    const rows = await textQuery<{ text: string }>(tx, `fetch ${table.page ?? PAGE} from exported`);
    if (rows.length === 0) break;
    yield rows.map(({ text }) => text);
  }
  await textQuery(tx, "close exported");
}

/** The rows of a table that have a secret, without it: an export without secrets names them. */
export async function readSecretRows(tx: Tx, projectId: string, table: ExportedTable): Promise<string[]> {
  const secret = secretColumn(table);
  if (secret === null) return [];
  const query = rowsOf(table, [`t.*, null as "${secret}"`], `t."${secret}" is not null`);
  const rows = await textQuery<{ text: string }>(tx, query, [projectId]);
  return rows.map(({ text }) => text);
}
