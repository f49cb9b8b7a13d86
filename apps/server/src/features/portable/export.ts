import { createHash } from "node:crypto";
import { type ExportedTable, exportedTables, type Table } from "../../domain/house-tables.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { defaultLimits } from "../../platform/limits.ts";
import { SealError, type Secrets } from "../../platform/secrets/secrets.ts";
import { countErasingUsers, finishErasing } from "../erasure/public.ts";
import {
  findProjectName,
  lastMigration,
  readColumns,
  readRows,
  readSecretRows,
  travels,
} from "./export-store.ts";
import { PortableError } from "./portable-error.ts";
import { END, FORMAT, type Footer, type Header, KIND, Row } from "./schema.ts";
import { sealedIn, secretCalled, secretColumn } from "./secrets.ts";

export type Exporting = {
  projectId: string;
  /** Every table of the house. */
  tables: readonly Table[];
  /** Whether secrets are exported, in clear text; else their rows are left out and the header names them. */
  withSecrets: boolean;
  /** Epoch milliseconds. */
  now: number;
};

/** A row with its secret in clear text. @throws PortableError when the secret cannot be opened with this server's key */
function inClear(secrets: Secrets, projectId: string, table: ExportedTable, text: string): string {
  const row = Row.parse(JSON.parse(text));
  const column = secretColumn(table);
  const sealed = column === null ? null : row[column];
  if (column === null || typeof sealed !== "string") return text;
  try {
    row[column] = secrets.open(Buffer.from(sealed, "base64"), sealedIn(table, projectId, row));
    return JSON.stringify(row);
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause;
    throw new PortableError(`${secretCalled(table, row)} cannot be opened: ${cause.message}`, { cause });
  }
}

async function secretsLeftOut(tx: Tx, { projectId, tables }: Exporting): Promise<string[]> {
  const names: string[] = [];
  for (const table of exportedTables(tables))
    for (const text of await readSecretRows(tx, projectId, table))
      names.push(secretCalled(table, Row.parse(JSON.parse(text))));
  return names.sort();
}

/** The header of an export. @throws PortableError when there is no such project */
async function headerOf(tx: Tx, exporting: Exporting): Promise<Header> {
  const { projectId, tables, withSecrets, now } = exporting;
  const name = await findProjectName(tx, projectId);
  if (name === null) throw new PortableError(`There is no project ${projectId}`);
  const catalogue = await readColumns(tx);
  const columnsOf = (table: ExportedTable): string[] =>
    (catalogue.get(table.name) ?? []).filter((column) => travels(table, column));
  return {
    type: KIND,
    format: FORMAT,
    schema: await lastMigration(tx),
    exportedAt: now,
    project: { id: projectId, name },
    tables: Object.fromEntries(exportedTables(tables).map((table) => [table.name, columnsOf(table)])),
    secrets: withSecrets ? "in clear" : await secretsLeftOut(tx, exporting),
  };
}

/** A line of an export, and the type of its record. */
type Written = { type: string; line: string };

/** The rows of a project, page by page, so that memory does not grow with the project. */
async function* recordsOf(
  tx: Tx,
  secrets: Secrets,
  { projectId, tables, withSecrets }: Exporting,
  columnsOf: Header["tables"],
): AsyncGenerator<Written> {
  for (const table of exportedTables(tables)) {
    const secret = secretColumn(table);
    const columns = columnsOf[table.name] ?? [];
    const begin = `{"type":${JSON.stringify(table.name)},"row":`;
    for await (const page of readRows(tx, projectId, table, { columns, withSecrets }))
      for (const text of page) {
        const row = secret === null ? text : inClear(secrets, projectId, table, text);
        yield { type: table.name, line: `${begin}${row}}\n` };
      }
  }
}

/** Lines are gathered up to this length, because a write costs much more than a line. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Writes a whole project, as it is at one instant, as one JSON object per line: a header, its rows in the order in which they can
 * be imported, and a footer with counts and a SHA-256. Answers the header and the footer. Awaits each `write`. Before that, it
 * deletes the remaining events of erased users.
 * @throws PortableError when there is no such project, a secret cannot be opened, or a user is being erased at the same time
 */
export async function exportProject(
  db: Db,
  secrets: Secrets,
  exporting: Exporting,
  write: (text: string) => Promise<void>,
): Promise<{ header: Header; footer: Footer }> {
  const digest = createHash("sha256");
  const counts: Record<string, number> = {};
  await finishErasing(db, exporting.projectId, defaultLimits.eventsErasedAtOnce);
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (tx) => {
      const header = await headerOf(tx, exporting);
      const erasing = await countErasingUsers(tx, exporting.projectId);
      if (erasing > 0)
        throw new PortableError("A user with many events is being erased at this moment: export again");
      let chunk = `${JSON.stringify(header)}\n`;
      digest.update(chunk);
      for await (const { type, line } of recordsOf(tx, secrets, exporting, header.tables)) {
        counts[type] = (counts[type] ?? 0) + 1;
        digest.update(line);
        chunk += line;
        if (chunk.length < CHUNK_CHARACTERS) continue;
        await write(chunk);
        chunk = "";
      }
      const footer: Footer = { type: END, counts, sha256: digest.digest("hex") };
      await write(`${chunk}${JSON.stringify(footer)}\n`);
      return { header, footer };
    });
}
