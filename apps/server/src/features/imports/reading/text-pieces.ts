import { setImmediate as othersTurn } from "node:timers/promises";
import type { FileRecord } from "../schema.ts";
import { FileFault, MAX_RECORD_BYTES } from "./file-bytes.ts";

/**
 * Where the next record begins. `offset`: bytes of the unpacked text; of Parquet, rows. `line` counts from 1, the line of names included;
 * of Parquet, rows from 1.
 */
export type Position = { offset: number; line: number };

/** The beginning of a file. */
export const START: Position = { offset: 0, line: 1 };

/** So many records of a file as one transaction takes. It may have none, where a file has many empty lines. `next` is where to go on. */
export type RecordPiece = { records: readonly FileRecord[]; next: Position; isEnd: boolean };

export const MAX_PIECE_BYTES = 4 * 1_024 * 1_024;

/** The most records of a piece, at least 1, while it is read. */
export type MostRecords = () => number;

/** Records that are read before requests of this process get their turn: about a millisecond. */
const RECORDS_AT_ONCE = 200;

/** A stretch of a text: `isLast` when nothing comes behind it. */
export type TextWindow = { bytes: Buffer; isLast: boolean };

/** What a scan found: `end` is the index behind it, `lines` how many lines ended in it. Without a record it is to be passed over. */
export type Found = { end: number; lines: number; record: FileRecord | null };

/**
 * Finds the record that begins at an index of a window, which grows from call to call. Answers `more` where it ends behind the window,
 * and `end` where nothing follows. `line` is the line of the index.
 */
export type Scan = (window: TextWindow, from: number, line: number) => Found | "more" | "end";

/** An answer of a scan, with a record that is too long refused, however the text was cut into windows. */
export function scanWithin(
  scan: Scan,
  window: TextWindow,
  from: number,
  line: number,
): Found | "more" | "end" {
  const found = from < window.bytes.length || window.isLast ? scan(window, from, line) : "more";
  const length = found === "end" ? 0 : (found === "more" ? window.bytes.length : found.end) - from;
  if (length > MAX_RECORD_BYTES)
    throw new FileFault(
      `What begins in line ${line} is longer than ${MAX_RECORD_BYTES / 1_024} KiB, the most that one record may be. Perhaps a quote opens there and never closes.`,
    );
  return found;
}

/** At least one more byte of a text, and as many as are left over: so that what is scanned again stays in proportion. */
async function grown(chunks: AsyncIterator<Buffer>, left: Buffer): Promise<TextWindow> {
  const parts = [left];
  let added = 0;
  while (added <= left.length) {
    const { done, value } = await chunks.next();
    if (done) return { bytes: Buffer.concat(parts), isLast: true };
    parts.push(value);
    added += value.length;
  }
  return { bytes: Buffer.concat(parts), isLast: false };
}

/** The records of a text whose first byte stands at `from`, piece by piece. */
export async function* textPieces(
  text: AsyncIterable<Buffer>,
  scan: Scan,
  from: Position,
  mostRecords: MostRecords,
): AsyncGenerator<RecordPiece> {
  const chunks = text[Symbol.asyncIterator]();
  let window: TextWindow = { bytes: Buffer.alloc(0), isLast: false };
  let at = 0;
  let next = from;
  let begun = from.offset;
  let records: FileRecord[] = [];
  let scans = 0;
  try {
    while (true) {
      if (++scans % RECORDS_AT_ONCE === 0) await othersTurn();
      const found = scanWithin(scan, window, at, next.line);
      if (found === "end") return yield { records, next, isEnd: true };
      if (found === "more") {
        window = await grown(chunks, window.bytes.subarray(at));
        at = 0;
        continue;
      }
      next = { offset: next.offset + found.end - at, line: next.line + found.lines };
      at = found.end;
      if (found.record !== null) records.push(found.record);
      if (records.length < mostRecords() && next.offset - begun < MAX_PIECE_BYTES) continue;
      yield { records, next, isEnd: false };
      records = [];
      begun = next.offset;
    }
  } finally {
    await chunks.return?.();
  }
}
