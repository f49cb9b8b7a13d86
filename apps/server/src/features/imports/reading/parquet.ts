import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  type ParquetScan,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
} from "hyparquet";
import type { FileRecord } from "../schema.ts";
import { characterFault, MAX_COLUMNS } from "./columns.pure.ts";
import { type FileBytes, FileFault } from "./file-bytes.ts";
import { checkedRecord } from "./json-record.ts";
import { PARSERS, plainValue, sizeOf } from "./parquet-value.ts";
import { MAX_PIECE_BYTES, type MostRecords, type Position, type RecordPiece } from "./text-pieces.ts";

const MIB = 1_024 * 1_024;
/** The most that is read of a file at once: the packed values of one column in one row group. */
const MAX_SLICE_BYTES = 256 * MIB;
const MAX_PAGE_BYTES = 256 * MIB;
/** So much of a row group is kept while its rows are read, because each stretch of rows reads the same columns. */
const KEPT_BYTES = 64 * MIB;
/**
 * What is unpacked at once: little, for the memory; more where columns are nested, because those are unpacked wholly for each stretch of
 * rows, and so would be read again and again.
 */
const FLAT = { mostRows: 50_000, bytes: 8 * MIB };
const NESTED = { mostRows: 200_000, bytes: 24 * MIB };
const LEAST_ROWS = 64;

/** A page unpacks to what its header says, and to no more. */
const within = (outputLength: number) => ({
  maxOutputLength: Math.max(1, Math.min(outputLength, MAX_PAGE_BYTES)),
});
const COMPRESSORS: Compressors = {
  GZIP: (input, outputLength) => gunzipSync(input, within(outputLength)),
  BROTLI: (input, outputLength) => brotliDecompressSync(input, within(outputLength)),
  ZSTD: (input, outputLength) => zstdDecompressSync(input, within(outputLength)),
};
const OPTIONS = { compressors: COMPRESSORS, parsers: PARSERS, utf8: false, geoparquet: false };

/** An error of whatever the file is kept in, which is no fault of the file. */
class ReadingFailure extends Error {
  override name = "ReadingFailure";
}

async function sliceOf(file: FileBytes, start: number, end: number): Promise<ArrayBuffer> {
  if (start < 0 || end > file.byteLength || end < start)
    throw new Error("it names bytes that it does not have");
  if (end - start > MAX_SLICE_BYTES)
    throw new FileFault(
      "This Parquet file has a row group in which one column has over 256 MiB: write it with smaller row groups.",
    );
  const slice = new Uint8Array(end - start);
  try {
    for (let at = start; at < end; ) {
      const bytes = await file.read(at, end);
      if (bytes.length === 0) throw new Error(`A file of ${file.byteLength} bytes ends at ${at}.`);
      slice.set(bytes, at - start);
      at += bytes.length;
    }
  } catch (cause) {
    throw new ReadingFailure("The bytes of the file could not be read.", { cause });
  }
  return slice.buffer;
}

/** A file as the reader of Parquet wants it. `forget` ends what is kept of the stretch before. */
function asyncBuffer(file: FileBytes): AsyncBuffer & { forget: () => void } {
  const kept = new Map<string, ArrayBuffer>();
  let keptBytes = 0;
  return {
    byteLength: file.byteLength,
    slice: async (start, end = file.byteLength) => {
      const key = `${start}-${end}`;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const slice = await sliceOf(file, start, end);
      if (keptBytes + slice.byteLength <= KEPT_BYTES) {
        kept.set(key, slice);
        keptBytes += slice.byteLength;
      }
      return slice;
    },
    forget: () => {
      kept.clear();
      keptBytes = 0;
    },
  };
}

/** What a step of the reader of Parquet answers; what it throws is a fault of the file. */
async function readable<Value>(step: () => Promise<Value>): Promise<Value> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof FileFault) throw error;
    if (error instanceof ReadingFailure) throw error.cause;
    const reason = error instanceof Error ? error.message : String(error);
    throw new FileFault(`This Parquet file cannot be read: ${reason}.`);
  }
}

type Column = { name: string; isLocal: boolean; isNested: boolean };

/** The columns of a file, and which have times without a zone. Two kinds of values cannot be read, and have no meaning here. */
const columnsOf = (metadata: FileMetaData): Column[] =>
  parquetSchema(metadata)
    .children.filter(({ element: { name, converted_type: type } }) => {
      const isReadable = type !== "BSON" && type !== "INTERVAL";
      return isReadable && name !== "" && name.length <= 200;
    })
    .map(({ element: { name, logical_type: type }, children }) => ({
      name,
      isNested: children.length > 0,
      isLocal: type?.type === "TIMESTAMP" && !type.isAdjustedToUTC,
    }));

type OpenFile = { buffer: ReturnType<typeof asyncBuffer>; metadata: FileMetaData; columns: Column[] };

async function opened(file: FileBytes): Promise<OpenFile> {
  const buffer = asyncBuffer(file);
  const metadata = await readable(() => parquetMetadataAsync(buffer, OPTIONS));
  buffer.forget();
  return { buffer, metadata, columns: await readable(async () => columnsOf(metadata)) };
}

/**
 * The names of the columns of a Parquet file.
 * @throws FileFault where it cannot be read, or has none
 */
export async function parquetColumns(file: FileBytes): Promise<string[]> {
  const { columns } = await opened(file);
  if (columns.length === 0) throw new FileFault("This Parquet file has no columns.");
  if (columns.length > MAX_COLUMNS)
    throw new FileFault(`This file has ${columns.length} columns; ${MAX_COLUMNS} are the most.`);
  return [...new Set(columns.map(({ name }) => name))];
}

type Stretch = { rowStart: number; rowEnd: number; endsGroup: boolean };

/** The rows of a file from one on, in stretches of one row group each that take little memory once they are unpacked. */
function* stretches({ metadata, columns }: OpenFile, from: number): Generator<Stretch> {
  const most = columns.some(({ isNested }) => isNested) ? NESTED : FLAT;
  let groupStart = 0;
  for (const { num_rows: numRows, total_byte_size: bytes } of metadata.row_groups) {
    const groupEnd = groupStart + Number(numRows);
    const perRow = Math.max(1, Number(bytes) / Math.max(1, Number(numRows)));
    const rows = Math.min(most.mostRows, Math.max(LEAST_ROWS, Math.floor(most.bytes / perRow)));
    for (let rowStart = Math.max(from, groupStart); rowStart < groupEnd; rowStart += rows) {
      const rowEnd = Math.min(rowStart + rows, groupEnd);
      yield { rowStart, rowEnd, endsGroup: rowEnd === groupEnd };
    }
    groupStart = groupEnd;
  }
}

type Values = { column: Column; values: ArrayLike<unknown> }[];

async function valuesOf(scan: ParquetScan, columns: readonly Column[], stretch: Stretch): Promise<Values> {
  const { rowStart, rowEnd } = stretch;
  const all: Values = [];
  for (const column of columns) {
    const values = await readable(async () => {
      const read: ArrayLike<unknown> = await scan.readColumn({ column: column.name, rowStart, rowEnd });
      if (read.length !== rowEnd - rowStart) throw new Error(`the column ${column.name} ends early`);
      return read;
    });
    all.push({ column, values });
  }
  return all;
}

/** One row as a record, with how much text it is. */
function recordAt(all: Values, index: number, line: number): { record: FileRecord; size: number } {
  const fields: Record<string, unknown> = Object.create(null);
  let broken: string | null = null;
  let size = 0;
  for (const { column, values } of all) {
    const value = plainValue(values[index], column.isLocal, () => {
      broken ??= column.name;
    });
    size += column.name.length + sizeOf(value);
    fields[column.name] = value;
  }
  const record =
    broken === null ? checkedRecord(fields, line) : { line, fault: characterFault("utf8", broken) };
  return { record, size };
}

/** The first rows of a Parquet file. */
export async function parquetSamples(
  file: FileBytes,
  names: readonly string[],
  most: number,
): Promise<FileRecord[]> {
  const open = await opened(file);
  const { buffer, metadata, columns } = open;
  const [first] = stretches(open, 0);
  if (first === undefined) return [];
  const wanted = columns.filter(({ name }) => names.includes(name));
  const scan = await readable(() => parquetScan({ ...OPTIONS, file: buffer, metadata }));
  const rows = Math.min(first.rowEnd, most);
  const values = await valuesOf(scan, wanted, { rowStart: 0, rowEnd: rows, endsGroup: false });
  return Array.from({ length: rows }, (_, row) => recordAt(values, row, row + 1).record);
}

/** The rows of a Parquet file from a position on, piece by piece. A line is a row, counted from 1. */
export async function* parquetPieces(
  file: FileBytes,
  names: readonly string[],
  from: Position,
  mostRecords: MostRecords,
): AsyncGenerator<RecordPiece> {
  const open = await opened(file);
  const { buffer, metadata } = open;
  const columns = open.columns.filter(({ name }) => names.includes(name));
  const wanted = columns.map(({ name }) => name);
  const openScan = () => readable(() => parquetScan({ ...OPTIONS, file: buffer, metadata, columns: wanted }));
  let scan = await openScan();
  let records: FileRecord[] = [];
  let bytes = 0;
  let next = from;
  for (const stretch of stretches({ buffer, metadata, columns }, from.offset)) {
    const values = await valuesOf(scan, columns, stretch);
    for (let row = stretch.rowStart; row < stretch.rowEnd; row++) {
      const { record, size } = recordAt(values, row - stretch.rowStart, row + 1);
      records.push(record);
      bytes += size;
      next = { offset: row + 1, line: row + 2 };
      if (records.length < mostRecords() && bytes < MAX_PIECE_BYTES) continue;
      yield { records, next, isEnd: false };
      records = [];
      bytes = 0;
    }
    if (!stretch.endsGroup) continue;
    // The scan remembers the last values of each column, which are of no use in the next row group.
    buffer.forget();
    scan = await openScan();
  }
  yield { records, next, isEnd: true };
}
