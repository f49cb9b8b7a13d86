import { isUtf8 } from "node:buffer";
import { FileFault } from "./file-bytes.ts";
import type { TextWindow } from "./text-pieces.ts";

/** Why the cells of a row cannot be trusted. */
type RowRule = "utf8" | "nul" | "quote";

/** A row of a CSV file: `end` is the index behind it, `lines` how many lines ended in it. A row that is an empty line has no cells. */
export type Row = { end: number; lines: number; cells: readonly string[]; rule: RowRule | null };

const [QUOTE, LF, CR, BLANK] = [0x22, 0x0a, 0x0d, 0x20];

/** Finds a byte from growing indexes of a window: what it found is remembered until the search is behind it. */
function finder(byte: number) {
  let seen: Buffer | null = null;
  let at = -1;
  return (bytes: Buffer, from: number): number => {
    if (bytes !== seen || at < from) {
      seen = bytes;
      const index = bytes.indexOf(byte, from);
      at = index < 0 ? bytes.length : index;
    }
    return at;
  };
}

/** Index behind the end of line at `at`; null where the window ends within CR and LF, or may do so. */
function behindLineEnd({ bytes, isLast }: TextWindow, at: number): number | null {
  if (bytes[at] !== CR) return Math.min(at + 1, bytes.length);
  if (at + 1 === bytes.length && !isLast) return null;
  return bytes[at + 1] === LF ? at + 2 : at + 1;
}

function lineEndsIn(bytes: Buffer, from: number, to: number): number {
  let lines = 0;
  for (let at = from; at < to; at++)
    if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) lines++;
  return lines;
}

/** What is wrong with the characters of a row. The replacement character and NUL are searched in its text, which is faster. */
function ruleOf(cells: readonly string[], raw: () => Buffer): RowRule | null {
  if (cells.some((cell) => cell.includes("\ufffd")) && !isUtf8(raw())) return "utf8";
  return cells.some((cell) => cell.includes("\0")) ? "nul" : null;
}

/** A row without quotes: all between two ends of lines, cut at each delimiter. */
function plainRow(window: TextWindow, from: number, lineEnd: number, delimiter: string): Row | null {
  const { bytes } = window;
  const end = behindLineEnd(window, lineEnd);
  if (end === null) return null;
  const text = bytes.toString("utf8", from, lineEnd);
  const cells = text.split(delimiter);
  const [only = ""] = cells;
  const isEmpty = cells.length === 1 && only.trim() === "";
  const lines = lineEnd < bytes.length ? 1 : 0;
  return {
    end,
    lines,
    cells: isEmpty ? [] : cells,
    rule: ruleOf([text], () => bytes.subarray(from, lineEnd)),
  };
}

/** A cell, or null where it ends behind the window; `end` is the index of what ends it. */
type Cell = { text: string; end: number; isStray: boolean };

function plainCell({ bytes, isLast }: TextWindow, from: number, delimiter: number): Cell | null {
  let end = from;
  while (end < bytes.length && bytes[end] !== delimiter && bytes[end] !== LF && bytes[end] !== CR) end++;
  if (end === bytes.length && !isLast) return null;
  return { text: bytes.toString("utf8", from, end), end, isStray: false };
}

type QuoteFinder = (bytes: Buffer, from: number) => number;

function quotedCell(
  window: TextWindow,
  from: number,
  delimiter: number,
  nextQuote: QuoteFinder,
  line: number,
): Cell | null {
  const { bytes, isLast } = window;
  let quote = nextQuote(bytes, from + 1);
  let isDoubled = false;
  while (bytes[quote] === QUOTE && bytes[quote + 1] === QUOTE) {
    isDoubled = true;
    quote = nextQuote(bytes, quote + 2);
  }
  if (quote >= bytes.length) {
    if (!isLast) return null;
    throw new FileFault(
      `A quote opens a cell of the record that begins in line ${line}, and never closes: look at that line.`,
    );
  }
  const inside = bytes.toString("utf8", from + 1, quote);
  let behind = quote + 1;
  while (bytes[behind] === BLANK && delimiter !== BLANK) behind++;
  const rest = plainCell(window, behind, delimiter);
  if (rest === null) return null;
  return {
    text: isDoubled ? inside.replaceAll('""', '"') : inside,
    end: rest.end,
    isStray: rest.text !== "",
  };
}

/**
 * Reads rows of CSV, each from an index of a window that is not before the last one; null where the row ends behind the window. A cell
 * that begins with a quote ends at the next single quote, any other one at a delimiter or an end of line (LF, CRLF or CR).
 * @throws FileFault where the file ends within quotes
 */
export function rowReader(delimiter: string): (window: TextWindow, from: number, line: number) => Row | null {
  const nextLf = finder(LF);
  const nextCr = finder(CR);
  const nextQuote = finder(QUOTE);
  const delimiterByte = delimiter.charCodeAt(0);

  const quotedRow = (window: TextWindow, from: number, line: number): Row | null => {
    const { bytes } = window;
    const cells: string[] = [];
    let isStray = false;
    for (let at = from; ; ) {
      const cell =
        bytes[at] === QUOTE
          ? quotedCell(window, at, delimiterByte, nextQuote, line)
          : plainCell(window, at, delimiterByte);
      if (cell === null) return null;
      cells.push(cell.text);
      isStray ||= cell.isStray;
      at = cell.end + 1;
      if (bytes[cell.end] === delimiterByte) continue;
      const end = behindLineEnd(window, cell.end);
      if (end === null) return null;
      const rule = ruleOf(cells, () => bytes.subarray(from, cell.end)) ?? (isStray ? "quote" : null);
      return { end, lines: lineEndsIn(bytes, from, end), cells, rule };
    }
  };

  return (window, from, line) => {
    const { bytes, isLast } = window;
    const lineEnd = Math.min(nextLf(bytes, from), nextCr(bytes, from));
    if (nextQuote(bytes, from) < lineEnd) return quotedRow(window, from, line);
    if (lineEnd === bytes.length && !isLast) return null;
    return plainRow(window, from, lineEnd, delimiter);
  };
}
