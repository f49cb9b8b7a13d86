import { type FileFormat, PIECE_LINES } from "../schema.ts";
import { csvHeader, csvScan, markLength } from "./csv.ts";
import { type FileBytes, MAX_RECORD_BYTES } from "./file-bytes.ts";
import { linesScan, listScan, listStart } from "./json.ts";
import { parquetPieces } from "./parquet.ts";
import {
  type MostRecords,
  type Position,
  type RecordPiece,
  type Scan,
  START,
  textPieces,
} from "./text-pieces.ts";
import { unpackedFrom, unpackedHead } from "./unpacked.ts";

/** Enough of a file for what stands above its records: the line of names, and a line above it. */
const HEAD_BYTES = 2 * MAX_RECORD_BYTES;

type Reading = { scan: Scan; first: Position };

/** How the text of a file is scanned, and where its first record begins. */
async function readingOf(file: FileBytes, format: FileFormat): Promise<Reading> {
  const { bytes, isWhole } = await unpackedHead(file, format.isGzip, HEAD_BYTES);
  if (format.format === "csv") {
    const delimiter = format.delimiter ?? ",";
    const { next } = csvHeader({ bytes, isLast: isWhole }, delimiter);
    return { scan: csvScan(delimiter, format.columns), first: next };
  }
  const mark = markLength(bytes);
  const list = listStart(bytes, mark);
  const line = START.line + bytes.toString("latin1", mark, list ?? mark).split("\n").length - 1;
  return { scan: list === null ? linesScan : listScan, first: { offset: list ?? mark, line } };
}

async function* textFilePieces(
  file: FileBytes,
  format: FileFormat,
  from: Position,
  mostRecords: MostRecords,
): AsyncGenerator<RecordPiece> {
  const { scan, first } = await readingOf(file, format);
  const start = from.offset === START.offset ? first : from;
  yield* textPieces(unpackedFrom(file, format.isGzip, start.offset), scan, start, mostRecords);
}

/**
 * The records of a file from a position on: pieces of at most `mostRecords` and about 4 MiB of text. Reading may go on at the `next` of
 * any piece, which is quick unless the file is gzip; so whatever reads a gzip file piece by piece keeps the generator.
 * @throws FileFault with a sentence for people where the whole file cannot be read further
 */
export const readPieces = (
  file: FileBytes,
  format: FileFormat,
  from: Position,
  mostRecords: MostRecords = () => PIECE_LINES,
): AsyncGenerator<RecordPiece> =>
  format.format === "parquet"
    ? parquetPieces(file, format.columns, from, mostRecords)
    : textFilePieces(file, format, from, mostRecords);

export { type Position, type RecordPiece, START } from "./text-pieces.ts";
