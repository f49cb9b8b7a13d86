import { BYTE_ORDER_MARK } from "../../../platform/text/byte-order-mark.ts";
import type { FileRecord } from "../schema.ts";
import { cellsFault, characterFault, columnNames, MAX_COLUMNS } from "./columns.pure.ts";
import { type Row, rowReader } from "./csv-row.ts";
import { FileFault } from "./file-bytes.ts";
import { type Found, type Position, type Scan, START, scanWithin, type TextWindow } from "./text-pieces.ts";

const MARK = Buffer.from(BYTE_ORDER_MARK);
const DELIMITERS = [",", ";", "\t", "|"] as const;
/** The lines that are looked at for the delimiter. */
const COMPARED_ROWS = 200;
/** A delimiter whose line of names swallows the rest of the file loses to any that cuts a row below it as well. */
const WITHOUT_ROWS = 1e-6;

/** How many bytes the mark before a text takes. */
export const markLength = (head: Buffer): number =>
  head.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0;

/** The line `sep=;` with which some spreadsheets name the delimiter, above the line of names. */
const SEPARATOR_LINE = /^sep=([,;|\t])(?:\r\n|\n|\r)/i;

/** Where the line of names begins, and the delimiter that a line above it names. */
function firstLine(head: Buffer): { at: Position; delimiter: string | null } {
  const from = markLength(head);
  const [whole, delimiter] = SEPARATOR_LINE.exec(head.toString("latin1", from, from + 16)) ?? [];
  return whole === undefined || delimiter === undefined
    ? { at: { offset: from, line: START.line }, delimiter: null }
    : { at: { offset: from + whole.length, line: START.line + 1 }, delimiter };
}

/** The rows of the first bytes of a file that are not empty, each with where the next one begins. */
function* rowsOf(
  window: TextWindow,
  from: Position,
  delimiter: string,
): Generator<{ row: Row; line: number; next: Position }> {
  const read = rowReader(delimiter);
  let at = from;
  let row: Row | null = null;
  const scan: Scan = (_, index, line): Found | "more" | "end" => {
    row = index < window.bytes.length ? read(window, index, line) : null;
    if (row !== null) return { end: row.end, lines: row.lines, record: null };
    return index < window.bytes.length ? "more" : "end";
  };
  while (true) {
    const { line } = at;
    const found = scanWithin(scan, window, at.offset, line);
    if (found === "more" || found === "end" || row === null) return;
    at = { offset: found.end, line: line + found.lines };
    const { cells }: Row = row;
    if (cells.length > 0) yield { row, line, next: at };
  }
}

/** How well a delimiter cuts the first rows: how many columns it gives, times the share of rows that have as many. */
function fitOf(window: TextWindow, from: Position, delimiter: string): number {
  const counts: number[] = [];
  try {
    for (const { row } of rowsOf(window, from, delimiter)) {
      counts.push(row.cells.length);
      if (counts.length === COMPARED_ROWS) break;
    }
  } catch (error) {
    // Under another delimiter a quote may seem never to close; what was read until then counts.
    if (!(error instanceof FileFault)) throw error;
  }
  const [columns = 0, ...others] = counts;
  if (columns < 2) return 0;
  const same = others.filter((count) => count === columns).length;
  return others.length === 0 ? columns * WITHOUT_ROWS : (columns * same) / others.length;
}

/** The delimiter of a CSV file, from its first bytes. A file of one column has the comma. */
export function delimiterOf(head: TextWindow): string {
  const { at, delimiter } = firstLine(head.bytes);
  if (delimiter !== null) return delimiter;
  let best: { delimiter: string; fit: number } = { delimiter: ",", fit: 0 };
  for (const candidate of DELIMITERS) {
    const fit = fitOf(head, at, candidate);
    if (fit > best.fit) best = { delimiter: candidate, fit };
  }
  return best.delimiter;
}

const ADDRESS = /^[^\s@]{1,64}@[^\s@.]{1,64}\.[^\s@]{1,190}$/;

/**
 * The names of the columns of a CSV file, and where the line below them begins.
 * @throws FileFault where there is no line of names, or none that can be one
 */
export function csvHeader(head: TextWindow, delimiter: string): { columns: string[]; next: Position } {
  const first = rowsOf(head, firstLine(head.bytes).at, delimiter).next();
  if (first.done) throw new FileFault("This file is empty: it has no line with the names of its columns.");
  const { row, line, next } = first.value;
  if (row.rule !== null)
    throw new FileFault(
      `The names of the columns, in line ${line}, cannot be read: ${characterFault(row.rule).text}`,
    );
  if (row.cells.length > MAX_COLUMNS)
    throw new FileFault(`This file has ${row.cells.length} columns; ${MAX_COLUMNS} are the most.`);
  if (row.cells.some((cell) => ADDRESS.test(cell.trim())))
    throw new FileFault(
      `Line ${line} has an address of mail where the names of the columns should be: put a line with names above it, such as email.`,
    );
  return { columns: columnNames(row.cells), next };
}

/** A row as a record; null where it is an empty line. */
function recordOf({ cells, rule }: Row, line: number, columns: readonly string[]): FileRecord | null {
  if (cells.length === 0) return null;
  if (rule !== null) {
    const character = { utf8: "\ufffd", nul: "\0", quote: null }[rule];
    const index = character === null ? -1 : cells.findIndex((cell) => cell.includes(character));
    return { line, fault: characterFault(rule, columns[index]) };
  }
  if (cells.length !== columns.length) return { line, fault: cellsFault(cells.length, columns.length) };
  // Without a prototype, a column that is called __proto__ is one like any other.
  const fields: Record<string, unknown> = Object.create(null);
  for (const [index, column] of columns.entries()) fields[column] = cells[index];
  return { line, fields };
}

/** Finds the records of a CSV file below its line of names. */
export function csvScan(delimiter: string, columns: readonly string[]): Scan {
  const read = rowReader(delimiter);
  return (window, from, line) => {
    if (from === window.bytes.length) return "end";
    const row = read(window, from, line);
    return row === null ? "more" : { end: row.end, lines: row.lines, record: recordOf(row, line, columns) };
  };
}
