import { counted } from "@tidings/client/text";
import type pg from "pg";
import type { CheckFinding } from "../../checks.ts";
import { ConfigError } from "../../config.ts";
import type { Db } from "../db.ts";
import { kyselyOnClient } from "../transactions/on-one-client.ts";
import { type CatalogTable, countRows, findFilled, readCatalog, readNumbered } from "./catalog.ts";
import { inTableOrder } from "./table-order.pure.ts";
import { analyzeTables, beginReading, beginWriting, copyTable, lockTables, numberFrom } from "./transfer.ts";

/** Two databases of the same migrations, each by a connection of its own. */
export type MovedBetween = { source: pg.Client; target: pg.Client };

/** How rows are moved: what is reported as it goes, and what the doctor finds in a transaction. */
export type MovingRows = {
  /** The tables that the house declares: none of them may be left out. */
  declared: ReadonlySet<string>;
  report: (line: string) => void;
  examine: (tx: Db) => AsyncIterable<CheckFinding>;
};

const whole = new Intl.NumberFormat("en");
const secondsSince = (startedAt: number): string =>
  `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

/** A table that takes longer than this is reported by itself, as soon as it is there. */
const LONG_MS = 1_000;

/**
 * The tables of the source that go over, in an order in which they can: those that migrations made in the target too.
 * @throws ConfigError where one of the house is not there, or is another one
 */
async function tablesToMove(
  { source, target }: MovedBetween,
  { declared, report }: MovingRows,
): Promise<CatalogTable[]> {
  const here = await readCatalog(source);
  const columnsThere = new Map(
    (await readCatalog(target)).map(({ name, columns }) => [name, columns.join()]),
  );
  const both = here.filter(({ name }) => columnsThere.has(name));
  const different = both.find(({ name, columns }) => columns.join() !== columnsThere.get(name));
  const lacking = [...declared].find(
    (name) => name !== "migrations" && !both.some((table) => table.name === name),
  );
  const fault = different?.name ?? lacking;
  if (fault !== undefined)
    throw new ConfigError(`The table ${fault} is not the same in both databases: make a new one to move to.`);
  const foreign = here.filter((table) => !both.includes(table)).map(({ name }) => name);
  if (foreign.length > 0) report(`These tables are not of Tidings, and stay behind: ${foreign.join(", ")}.`);
  return inTableOrder(both);
}

const MOST_NAMED = 3;

/** @throws ConfigError where one of the tables has a row: another server's, or those of an earlier move */
async function requireEmpty(target: pg.Client, names: readonly string[]): Promise<void> {
  const filled = await findFilled(target, names);
  const listed = [...filled.slice(0, MOST_NAMED), ...(filled.length > MOST_NAMED ? ["…"] : [])].join(", ");
  if (filled.length > 0)
    throw new ConfigError(
      `The database that was named has rows already (${listed}): a server was started on it, or it has other data. Make a new one.`,
    );
}

/** What went over. */
export type MovedRows = { tables: number; rows: number };

async function copyAll(
  between: MovedBetween,
  tables: readonly CatalogTable[],
  report: MovingRows["report"],
): Promise<MovedRows> {
  const began = performance.now();
  const expected = new Map<string, number>();
  let [rows, bytes] = [0, 0];
  for (const table of tables) {
    const startedAt = performance.now();
    const copied = await copyTable(between.source, between.target, table).catch((cause: unknown) => {
      report(`  ${table.name} could not be copied.`);
      throw cause;
    });
    expected.set(table.name, copied.rows);
    rows += copied.rows;
    bytes += copied.bytes;
    if (performance.now() - startedAt >= LONG_MS)
      report(
        `  ${table.name}: ${whole.format(copied.rows)} rows, ${megabytes(copied.bytes)} in ${secondsSince(startedAt)}`,
      );
  }
  await requireCounts(between.target, expected);
  report(
    `Copied ${whole.format(rows)} rows of ${counted(tables.length, "table")}, ${megabytes(bytes)}, in ${secondsSince(began)}.`,
  );
  return { tables: tables.length, rows };
}

/** @throws where a table does not have the rows that arrived */
async function requireCounts(target: pg.Client, expected: ReadonlyMap<string, number>): Promise<void> {
  const found = await countRows(target, [...expected.keys()]);
  for (const [name, rows] of expected)
    if (found.get(name) !== rows)
      throw new Error(`Of ${name} ${rows} rows arrived, and ${found.get(name)} are there.`);
}

const differing = (found: readonly CheckFinding[]): string[] =>
  found.flatMap(({ name, differences }) => (differences === 0 ? [] : `${name} (${differences})`));

async function findings(tx: Db, { examine }: MovingRows): Promise<CheckFinding[]> {
  const found: CheckFinding[] = [];
  for await (const finding of examine(tx)) found.push(finding);
  return found;
}

/** @throws ConfigError where the doctor finds something in the target that it does not find in the source */
async function requireInOrder({ source, target }: MovedBetween, how: MovingRows): Promise<void> {
  const startedAt = performance.now();
  const found = await findings(kyselyOnClient(target), how);
  const there = differing(found);
  if (there.length > 0) {
    const here = differing(await findings(kyselyOnClient(source), how));
    const added = there.filter((each) => !here.includes(each));
    if (added.length > 0)
      throw new ConfigError(`The doctor finds there what it does not find here: ${added.join("; ")}.`);
    how.report(`The doctor finds the same in both databases, so it came along: ${there.join("; ")}.`);
  }
  how.report(`Recounted by ${counted(found.length, "check")} in ${secondsSince(startedAt)}.`);
}

/**
 * Brings every row of Tidings from one database into another, in a transaction there that the caller ends: until it is committed, nothing
 * of it is there. The source is read at one instant, and not changed. Other programs may read the target meanwhile, and not write to it.
 * @throws ConfigError where the target has rows, or the doctor finds a difference there
 */
export async function moveRows(between: MovedBetween, how: MovingRows): Promise<MovedRows> {
  const { source, target } = between;
  await beginReading(source);
  await beginWriting(target);
  const tables = await tablesToMove(between, how);
  const moved = tables.map(({ name }) => name);
  await lockTables(target, moved);
  await requireEmpty(target, moved);
  const copied = await copyAll(between, tables, how.report);
  await numberFrom(target, await readNumbered(source, moved));
  await analyzeTables(target, moved);
  await requireInOrder(between, how);
  return copied;
}
