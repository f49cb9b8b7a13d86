/**
 * The sheets of statements: for every room all SQL that its stores send, with what each statement reads, writes and locks, and its reach.
 * `npm run gen` writes them, so that a change of SQL is seen as SQL.
 */
import type pg from "pg";
import type { TablePlacement } from "../../src/domain/tables.ts";
import { tables } from "../../src/features.ts";
import type { Reach } from "../../src/platform/db/statements/statement.ts";
import { readSteps } from "../staircase.ts";
import { laidOut } from "./layout.ts";
import { houseReader } from "./placed.ts";
import { faultsInPlans } from "./planned.ts";
import type { Reader, Reading, RowLock } from "./reading.ts";
import { type Sender, type Sent, statementsOfStores } from "./stores.ts";

/** The folder of the sheets, from the root of the repository. */
export const SHEETS = "apps/server/statements/";

/** So many texts of one statement are on a sheet. */
const MOST_TEXTS = 3;

/** From the narrowest to the widest. */
const REACHES: readonly Reach[] = ["local", "config", "key", "keys", "lane", "all lanes"];

/** A statement with what all its texts together do. `besideLanes`: tables on every machine that it names beside rows that lie by lane. */
type Statement = Sent & Omit<Reading, "unbound"> & { besideLanes: readonly string[] };

/** A function of a store, in its room, with its statements. */
type Listed = Omit<Sender, "sent"> & { room: string; statements: readonly Statement[] };

const ROOMS = readSteps().flat();

/** The room of a store; `platform` and `domain` are one each. */
function roomOf(path: string): string {
  const own = ROOMS.filter((room) => path.startsWith(`features/${room}/`)).sort(
    (a, b) => b.length - a.length,
  );
  return own[0] ?? path.slice(0, path.indexOf("/"));
}

const placed: ReadonlyMap<string, TablePlacement> = new Map(tables.map(({ name, lies }) => [name, lies]));
const isConfig = (table: string): boolean => placed.get(table) === "reference";
const isSpread = (table: string): boolean => !isConfig(table) && (placed.get(table) ?? "local") !== "local";

function configBesideLanes({ reads, writes }: Reading): string[] {
  const all = [...reads, ...writes.keys()];
  return all.some(isSpread) ? all.filter(isConfig) : [];
}

const sameLock = (a: RowLock, b: RowLock): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What the texts of a statement do together. */
function together(readings: readonly Reading[]): Omit<Statement, keyof Sent> {
  const writes = new Map<string, Set<string>>();
  for (const [table, verbs] of readings.flatMap((reading) => [...reading.writes]))
    writes.set(table, new Set([...(writes.get(table) ?? []), ...verbs]));
  const locks: RowLock[] = [];
  for (const lock of readings.flatMap((reading) => reading.locks))
    if (!locks.some((each) => sameLock(each, lock))) locks.push(lock);
  const widest = Math.max(...readings.map(({ reach }) => REACHES.indexOf(reach)));
  return {
    reads: [...new Set(readings.flatMap(({ reads }) => reads))].sort(),
    writes: new Map([...writes].map(([table, verbs]) => [table, [...verbs]])),
    locks,
    reach: REACHES[widest] ?? "all lanes",
    besideLanes: readings.flatMap(configBesideLanes),
  };
}

/** The reading of a text, or null where PostgreSQL refuses it: a part of it was to come from a caller. */
function readingOf(reader: Reader, text: string): Reading | null {
  try {
    return reader.read(text);
  } catch {
    return null;
  }
}

/** A statement with what it does; null where PostgreSQL refuses all its texts. */
function statementOf(sent: Sent, reader: Reader): Statement | null {
  const texts: string[] = [];
  const readings: Reading[] = [];
  for (const text of sent.texts) {
    const reading = readingOf(reader, text);
    if (reading === null) continue;
    texts.push(text);
    readings.push(reading);
  }
  return texts.length === 0 ? null : { ...sent, texts, ...together(readings) };
}

const lockText = ({ tables: locked, order, strength, isSkipping }: RowLock): string =>
  `${locked.join(", ")}${order === "" ? "" : ` by ${order}`} (for ${strength}${isSkipping ? " skip locked" : ""})`;

const line = (label: string, values: readonly string[]): string[] =>
  values.length === 0 ? [] : [`--   ${label.padEnd(7)} ${values.join(", ")}`];

/** A statement on its sheet. */
function textOf({ names, texts, reach, reads, writes, locks }: Statement): string {
  const written = [...writes].map(([table, verbs]) => `${table} (${verbs.join(", ")})`);
  const shown = texts.slice(0, MOST_TEXTS).map((text) => `${laidOut(text)};`);
  const left = texts.length - shown.length;
  return [
    ...line("name", names),
    ...line("reach", [reach]),
    ...line("reads", reads),
    ...line("writes", written),
    ...line("locks", locks.map(lockText)),
    // Settings of the planner come before and after a statement, and not in its place.
    shown.join("\n-- or:\n").replaceAll(/-- or:\n(?=set )|(?<=^set .*\n)-- or:\n/gm, ""),
    ...(left > 0 ? [`-- or ${left} more`] : []),
  ].join("\n");
}

/** A function on its sheet. */
const entry = ({ caller, statements }: Listed): string =>
  [`-- ${caller}`, ...statements.map(textOf)].join("\n");

function sheetOf(senders: readonly Listed[]): string {
  const parts = [
    "-- Generated by npm run gen: the SQL that the stores of this room send. README.md says how to read it.",
  ];
  for (const [path, its] of Map.groupBy(senders, (each) => each.path))
    parts.push(`-- ===== ${path}`, ...its.map(entry));
  return `${parts.join("\n\n")}\n`;
}

/** The names of functions of which a statement does something, once each. */
const namesOf = (senders: readonly Listed[], does: (statement: Statement) => boolean): string =>
  [
    ...new Set(
      senders.filter(({ statements }) => statements.some(does)).map(({ caller }) => `\`${caller}\``),
    ),
  ].join(" ");

/** The page that says how to read the sheets, counts statements, and lists who writes which table. */
function pageOf(senders: readonly Listed[]): string {
  const statements = senders.flatMap((each) => each.statements);
  const counts = REACHES.map((reach) => {
    const its = statements.filter((each) => each.reach === reach);
    return `| ${reach} | ${its.length} | ${its.filter(({ writes }) => writes.size > 0).length} |`;
  });
  const beside = [...new Set(statements.flatMap(({ besideLanes }) => besideLanes))].sort();
  const writers = tables.map(({ name }) => {
    const written = namesOf(senders, ({ writes }) => writes.has(name));
    const locked = namesOf(senders, ({ locks }) => locks.some((lock) => lock.tables.includes(name)));
    return `| ${name} | ${written} | ${locked} |`;
  });
  return `# Every statement

Generated by \`npm run gen\`: all SQL that the stores send, a file for each room. Each function of a store that takes a database is called
with arguments that its types allow, on a database that only writes down what it is sent. Where arguments decide about a text, the first
${MOST_TEXTS} are shown; a name like \`its_where\` stands for what a caller passes as text. PostgreSQL plans all of them, and its parser says what each
reads, writes and locks (in the order of the text).

**Reach** says which rows a statement can read or write, and so where it can run once lanes lie on several machines: rows of the \`key\` that it
is given (of a user, an address, a token); of \`keys\` of more than one kind, whose lanes differ; all rows of a \`lane\`; rows of \`all lanes\`; only
\`config\`, which is on every machine; something \`local\`, of which there is one, or no table.

| reach | statements | that write |
|---|---|---|
${counts.join("\n")}

Tables on every machine that statements name beside rows that lie by lane: ${beside.map((table) => `\`${table}\``).join(", ")}.

## Who writes and locks what

| table | written by | rows locked by |
|---|---|---|
${writers.join("\n")}
`;
}

/**
 * The sheets by their paths, from the root of the repository.
 * @param pool a database with the schema, in which every statement is planned
 * @throws Error where a store sends something that was not found, or that PostgreSQL refuses
 */
export async function statementSheets(pool: pg.Pool): Promise<Map<string, string>> {
  const reader = houseReader();
  const { senders, missing } = await statementsOfStores();
  const faults = missing.map(
    (place) =>
      `not sent: ${place}: types of the arguments that reach it, or scripts/statements, have to say more`,
  );
  const all = senders.map(({ sent, path, caller }): Listed => {
    const statements = sent.flatMap((each) => {
      const found = statementOf(each, reader);
      if (found === null) faults.push(`${path} ${caller}, line ${each.line}: PostgreSQL cannot parse it`);
      return found ?? [];
    });
    return { path, caller, room: roomOf(path), statements };
  });
  faults.push(...(await faultsInPlans(pool, reader, all)));
  if (faults.length > 0)
    throw new Error(
      `Statements that PostgreSQL refuses, or that no call of a store sends:\n${faults.join("\n")}`,
    );
  const byRoom = Map.groupBy(all, ({ room }) => room);
  return new Map([
    ...[...byRoom].map(([room, its]): [string, string] => [`${SHEETS}${room}.sql`, sheetOf(its)]),
    [`${SHEETS}README.md`, pageOf(all)],
  ]);
}
