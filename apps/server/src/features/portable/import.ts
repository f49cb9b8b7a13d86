import {
  type ExportedTable,
  exportedTables,
  projectIdPrefixes,
  type Table,
} from "../../domain/house-tables.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { sqlState } from "../../platform/db/db.ts";
import { savepoint } from "../../platform/db/transactions/savepoint.ts";
import type { Limits } from "../../platform/limits.ts";
import type { Secrets } from "../../platform/secrets/secrets.ts";
import { createProject, type ProjectKeys } from "../access/public.ts";
import { adoptProposals, adoptTests } from "../agent/evaluations/public.ts";
import { adoptEpochs, adoptPauses } from "../campaigns/authoring/public.ts";
import { applyDeltasWithin, dropSurplusProperties, recountUsers } from "../counting/rollups/public.ts";
import { recountActiveUsers } from "../counting/usage/public.ts";
import { forgetEarlyDraws, recountStats } from "../deliveries/public.ts";
import { adoptStops } from "../email/addresses/public.ts";
import { adoptJourneyEpochs } from "../journeys/authoring/public.ts";
import { recountJourneys } from "../journeys/moving/public.ts";
import { keepKnownFirsts } from "../users/events/public.ts";
import { recountJoined } from "../users/profiles/public.ts";
import { readColumns, travels } from "./export-store.ts";
import {
  finishImport,
  insertRows,
  prepareImport,
  readMigrationNames,
  readWarnings,
  type Warnings,
} from "./import-store.ts";
import { type FileLine, parseExactly, readLines } from "./lines.ts";
import { PortableError } from "./portable-error.ts";
import { END, FORMAT, Footer, Header, KIND, type Row } from "./schema.ts";
import { idPattern, type KeyReplacement, translator } from "./translate.ts";

export type Importing = {
  /** Every table of the house. */
  tables: readonly Table[];
  /** The name of the new project; null for that of the exported one. */
  name: string | null;
  /** Origin of this server, from which images of messages are served. */
  publicUrl: string;
  /** Epoch milliseconds. */
  now: number;
  /** Ceilings of this server. */
  limits: Limits;
};

/** A project that was made from a file. */
export type Imported = Warnings & {
  keys: ProjectKeys;
  name: string;
  from: Header["project"];
  /** Records by type. */
  counts: Footer["counts"];
  secrets: Header["secrets"];
};

const lineError = (number: number, what: string, cause?: unknown): PortableError =>
  new PortableError(`Line ${number} ${what}`, { cause });

function parsed(line: FileLine): Record<string, unknown> {
  try {
    const value = parseExactly(line.text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw lineError(line.number, "is not a JSON object");
}

/** Reads the header. @throws PortableError where this version cannot read the file */
async function readHeader(tx: Tx, line: FileLine, tables: readonly Table[]): Promise<Header> {
  const value = parsed(line);
  if (value.type !== KIND) throw lineError(line.number, "is not the header of an export of Tidings");
  const NEWER = "was written by a newer Tidings: import it with that version or a later one";
  if (typeof value.format === "number" && value.format > FORMAT) throw lineError(line.number, NEWER);
  const header = Header.safeParse(value);
  if (!header.success) {
    const [issue] = header.error.issues;
    throw lineError(line.number, `is not a whole header: ${issue?.path.join(".")} ${issue?.message}`);
  }
  const catalogue = await readColumns(tx);
  const isReadable = Object.keys(header.data.tables).every((type) => {
    const kind = kindOf(tables, header.data, type);
    if (kind === null) return false;
    const { table, columns } = kind;
    const its = catalogue.get(table.name) ?? [];
    return [...columns.values()].every((column) => travels(table, column) && its.includes(column));
  });
  const migrations = await readMigrationNames(tx);
  if (!isReadable || !migrations.has(header.data.schema)) throw lineError(line.number, NEWER);
  return header.data;
}

/**
 * The records of one type in a file: their table, and its columns by their names in the file. `isFormer`: some of the columns had another
 * name when the file was written.
 */
type Kind = { table: ExportedTable; columns: ReadonlyMap<string, string>; isFormer: boolean };

/** The kind of a record's type; null where this version has no such table. */
function kindOf(tables: readonly Table[], header: Header, type: string): Kind | null {
  const table = exportedTables(tables).find(
    ({ name, formerly = {} }) => name === type || Object.hasOwn(formerly, type),
  );
  if (table === undefined) return null;
  const renamed = table.formerly?.[type];
  const columns = new Map((header.tables[type] ?? []).map((name) => [name, renamed?.[name] ?? name]));
  return { table, columns, isFormer: [...columns].some(([name, column]) => name !== column) };
}

/** The table of deltas that are not applied to the rollups yet. */
const DELTAS = "rollup_deltas";

/** From this migration on, only a limited number of an event's properties is counted: older files have counts of all. */
const COUNTED_KEYS_BOUNDED = "0033_rollups_in_pieces.sql";

/** From this migration on, the variant of a push is drawn together with its device: in older files, some were drawn in an earlier epoch. */
const DRAWN_WITH_DEVICE = "0079_variants_of_waiting_recipients.sql";

/** From this migration on, an error budget counts each text of a variant for itself: older files do not say which one was meant. */
const TESTS_OF_TEXTS = "0082_tests_of_texts.sql";

/** From this migration on, what conversions are judged by is kept of events that are deleted for their age. */
const FIRSTS_KEPT = "0083_firsts_of_retired_events.sql";

/** From this migration on, receipts to an address are stopped apart from the mail of campaigns. */
const RECEIPTS_APART = "0135_receipts_stopped.sql";

/** Rows of one table that are inserted together. */
type Page = { kind: Kind; rows: { line: number; row: Row; keys: KeyReplacement[] }[]; characters: number };

const MAX_ROWS = 500;
const MAX_CHARACTERS = 1024 * 1024;

/** The fault of a row that PostgreSQL refused, as a text for people. */
function faultOf(error: unknown, { name }: ExportedTable): string {
  if (error instanceof PortableError) return `(${name}): ${error.message}`;
  if (sqlState(error) === null) throw error;
  const message = error instanceof Error ? error.message : String(error);
  const isNobodys = /column "(user_key|lane)" .*not-null/.test(message);
  return `(${name}): ${isNobodys ? "its user is not in the file" : message}`;
}

/** Inserts rows. Where they are refused, inserts halves of them, until the row at fault is found. */
async function writeRows(
  tx: Tx,
  projectId: string,
  { kind, rows }: Pick<Page, "kind" | "rows">,
): Promise<void> {
  const { table } = kind;
  const columns = [...kind.columns.values()];
  const page = { columns, rows: rows.map(({ row }) => row), keys: rows.flatMap(({ keys }) => keys) };
  try {
    await savepoint(tx, "page", () => insertRows(tx, projectId, table, page));
  } catch (error) {
    const [first] = rows;
    if (first === undefined) throw error;
    if (rows.length === 1) throw lineError(first.line, faultOf(error, table), error);
    const half = Math.ceil(rows.length / 2);
    await writeRows(tx, projectId, { kind, rows: rows.slice(0, half) });
    await writeRows(tx, projectId, { kind, rows: rows.slice(half) });
  }
}

/** The row of a record. */
function readRow(line: FileLine, kind: Kind, row: unknown): Row {
  const { table, columns, isFormer } = kind;
  if (typeof row !== "object" || row === null || Array.isArray(row))
    throw lineError(line.number, `(${table.name}) has no row`);
  const fields = new Set([...columns.keys(), ...Object.keys(table.beside ?? {})]);
  const stranger = Object.keys(row).find((key) => !fields.has(key));
  if (stranger !== undefined)
    throw lineError(line.number, `(${table.name}): the header does not name all of its fields`);
  if (!isFormer) return row as Row;
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [columns.get(name) ?? name, value]));
}

function checkEnd(line: FileLine, counts: Footer["counts"]): void {
  const footer = Footer.safeParse(parsed(line));
  if (!footer.success) throw lineError(line.number, "is not a whole footer");
  if (footer.data.sha256 !== line.digest())
    throw lineError(line.number, "says another checksum: what stands before it was altered");
  const isSame = [...Object.keys(counts), ...Object.keys(footer.data.counts)].every(
    (type) => counts[type] === footer.data.counts[type],
  );
  if (!isSame) throw lineError(line.number, "says another number of records than there are");
}

/** The number of records of a file by type, and the lines of its deltas. */
type Read = { counts: Footer["counts"]; deltaLines: readonly number[] };

/** Imports all records between header and footer into a new project. */
async function importRecords(
  tx: Tx,
  lines: AsyncIterable<FileLine>,
  {
    tables,
    header,
    projectId,
    translate,
  }: {
    tables: readonly Table[];
    header: Header;
    projectId: string;
    translate: ReturnType<typeof translator>;
  },
): Promise<Read> {
  const counts: Record<string, number> = {};
  const deltaLines: number[] = [];
  const kinds = new Map<unknown, Kind | null>();
  let page: Page | null = null;
  // Tables that must have no more records, because rows that refer to them were already read.
  const closed = new Set<string>();
  let last = 1;
  let isEnded = false;
  const flush = async (): Promise<void> => {
    if (page !== null) await writeRows(tx, projectId, page);
    page = null;
  };
  for await (const line of lines) {
    last = line.number;
    if (isEnded) throw lineError(last, "comes after the end of the export");
    if (line.text.startsWith(`{"type":"${END}"`)) {
      await flush();
      checkEnd(line, counts);
      isEnded = true;
      continue;
    }
    const { type, row: written } = parsed(line);
    if (!kinds.has(type)) kinds.set(type, kindOf(tables, header, String(type)));
    const kind = kinds.get(type) ?? null;
    if (kind === null) throw lineError(last, "is of a type that is not known");
    const { table } = kind;
    const row = readRow(line, kind, written);
    if (closed.has(table.name))
      throw lineError(last, `(${table.name}) comes too late: what refers to it was there before`);
    for (const needed of table.needs) closed.add(needed);
    counts[String(type)] = (counts[String(type)] ?? 0) + 1;
    if (table.name === DELTAS) deltaLines.push(last);
    if (
      page !== null &&
      (page.kind !== kind || page.rows.length >= MAX_ROWS || page.characters > MAX_CHARACTERS)
    )
      await flush();
    page ??= { kind, rows: [], characters: 0 };
    page.rows.push({ line: last, row, keys: translated(translate, table, row, last) });
    page.characters += line.text.length;
  }
  if (!isEnded) throw lineError(last, "is the last one, and not the end of an export: the file is not whole");
  return { counts, deltaLines };
}

function translated(
  translate: ReturnType<typeof translator>,
  table: ExportedTable,
  row: Row,
  line: number,
): KeyReplacement[] {
  try {
    return translate(table, row);
  } catch (error) {
    if (error instanceof PortableError) throw lineError(line, `(${table.name}): ${error.message}`, error);
    throw error;
  }
}

/**
 * Makes a new project from an export, in one transaction: no reader sees a part of it, and nothing is left of an import that fails or
 * is killed. Campaigns that were running are paused. `source` is the file.
 * @throws PortableError that names the line at fault
 */
export async function importProject(
  db: Db,
  secrets: Secrets,
  source: AsyncIterable<Buffer>,
  { tables, name: given, publicUrl, now, limits }: Importing,
): Promise<Imported> {
  return db.transaction().execute(async (tx) => {
    await prepareImport(tx);
    const lines = readLines(source);
    const first = await lines.next();
    if (first.done === true) throw new PortableError("The file is empty");
    const header = await readHeader(tx, first.value, tables);
    const name = given ?? header.project.name;
    const keys = await createProject(tx, name, now);
    const { projectId } = keys;
    const ids = idPattern(projectIdPrefixes(tables));
    const move = { from: header.project.id, to: projectId, publicUrl, ids };
    const translate = translator(move, secrets);
    const { counts, deltaLines } = await importRecords(tx, lines, { tables, header, projectId, translate });
    if (header.schema < COUNTED_KEYS_BOUNDED) await dropSurplusProperties(tx, projectId);
    if (header.schema < DRAWN_WITH_DEVICE) await forgetEarlyDraws(tx, projectId);
    if (header.schema < RECEIPTS_APART) await adoptStops(tx, projectId);
    if (header.schema < FIRSTS_KEPT) await keepKnownFirsts(tx, projectId);
    // Apply deltas now, so that a delta with a fault fails the import, and not the reports of the new project.
    await applyDeltasWithin(tx, projectId, {
      limits,
      now,
      onFault(place, cause) {
        const { message } = cause instanceof Error ? cause : new Error(String(cause));
        throw lineError(deltaLines[place] ?? 0, `(${DELTAS}): ${message}`, cause);
      },
    });
    await recountStats(tx, projectId);
    await recountJourneys(tx, projectId);
    await recountJoined(tx, projectId);
    await recountActiveUsers(tx, projectId);
    await recountUsers(tx, projectId);
    await finishImport(tx, projectId, now);
    await adoptEpochs(tx, projectId, now);
    await adoptJourneyEpochs(tx, projectId);
    await adoptPauses(tx, projectId, now);
    await adoptProposals(tx, projectId);
    if (header.schema < TESTS_OF_TEXTS) await adoptTests(tx, projectId);
    const warnings = await readWarnings(tx, projectId);
    return { ...warnings, keys, name, from: header.project, counts, secrets: header.secrets };
  });
}
