import type { FileRecord } from "../schema.ts";
import { MAX_COLUMNS } from "./columns.pure.ts";
import { FileFault } from "./file-bytes.ts";
import { jsonRecord } from "./json-record.ts";
import type { Found, Scan, TextWindow } from "./text-pieces.ts";

const [LF, QUOTE, BACKSLASH, COMMA] = [0x0a, 0x22, 0x5c, 0x2c];
const [LIST, END_OF_LIST, OBJECT, END_OF_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === LF || byte === 0x0d || byte === 0x09;

/** Index of the first byte from `from` on that is not blank. */
function behindBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isBlank(bytes[at])) at++;
  return at;
}

function linesIn(bytes: Buffer, from: number, to: number): number {
  let lines = 0;
  for (let at = from; at < to; at++) if (bytes[at] === LF) lines++;
  return lines;
}

/** Index behind the list that a file is, once its bracket opens; null where the file is no list. `from` stands behind a mark. */
export function listStart(bytes: Buffer, from: number): number | null {
  const at = behindBlanks(bytes, from);
  return bytes[at] === LIST ? at + 1 : null;
}

/** Finds the records of a file with an object in each line. Empty lines are passed over. */
export const linesScan: Scan = ({ bytes, isLast }, from, line) => {
  if (from === bytes.length) return "end";
  const lf = bytes.indexOf(LF, from);
  if (lf < 0 && !isLast) return "more";
  const lineEnd = lf < 0 ? bytes.length : lf;
  const isEmpty = behindBlanks(bytes, from) >= lineEnd;
  const record = isEmpty ? null : jsonRecord(bytes.subarray(from, lineEnd), line);
  return { end: Math.min(lineEnd + 1, bytes.length), lines: lf < 0 ? 0 : 1, record };
};

/** Index of the comma or bracket that ends the value which begins at `from`; null where that lies behind the window. */
function endOfValue(bytes: Buffer, from: number): number | null {
  let depth = 0;
  let isQuoted = false;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isQuoted) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isQuoted = false;
    } else if (byte === QUOTE) isQuoted = true;
    else if (byte === LIST || byte === OBJECT) depth++;
    else if (depth === 0 && (byte === COMMA || byte === END_OF_LIST)) return at;
    else if (byte === END_OF_LIST || byte === END_OF_OBJECT) depth = Math.max(0, depth - 1);
  }
  return null;
}

/** What stands between the values of a list. */
function betweenValues({ bytes }: TextWindow, from: number): Found | null {
  let end = from;
  while (end < bytes.length && (isBlank(bytes[end]) || bytes[end] === COMMA)) end++;
  return end === from ? null : { end, lines: linesIn(bytes, from, end), record: null };
}

/** Finds the records of a file that is one list of objects, behind its opening bracket. */
export const listScan: Scan = (window, from, line) => {
  const { bytes, isLast } = window;
  const cutOff = (): never => {
    throw new FileFault(`The list that this file is does not end: it seems to be cut off, in line ${line}.`);
  };
  if (from === bytes.length) return isLast ? cutOff() : "more";
  const between = betweenValues(window, from);
  if (between !== null) return between;
  if (bytes[from] === END_OF_LIST) {
    if (behindBlanks(bytes, from + 1) < bytes.length)
      throw new FileFault(`Something follows the end of the list that this file is, in line ${line}.`);
    return isLast ? "end" : "more";
  }
  const end = endOfValue(bytes, from);
  if (end === null) return isLast ? cutOff() : "more";
  return { end, lines: linesIn(bytes, from, end), record: jsonRecord(bytes.subarray(from, end), line) };
};

/** The keys of objects in the order in which they come, as the columns of their file. */
export function keysOf(records: readonly FileRecord[]): string[] {
  const keys = new Set<string>();
  for (const record of records)
    if ("fields" in record)
      for (const key of Object.keys(record.fields)) if (key !== "" && key.length <= 200) keys.add(key);
  return [...keys].slice(0, MAX_COLUMNS);
}
