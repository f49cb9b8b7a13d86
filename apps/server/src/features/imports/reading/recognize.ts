import type { FileFormat, FileRecord } from "../schema.ts";
import { csvHeader, csvScan, delimiterOf, markLength } from "./csv.ts";
import { type FileBytes, FileFault } from "./file-bytes.ts";
import { encodingFault, foreignFault } from "./foreign-file.ts";
import { keysOf, linesScan, listScan, listStart } from "./json.ts";
import { parquetColumns, parquetSamples } from "./parquet.ts";
import { type Position, type Scan, START, scanWithin, type TextWindow } from "./text-pieces.ts";
import { unpackedHead } from "./unpacked.ts";

/** So much of a file is looked at, unpacked. */
const HEAD_BYTES = 1_024 * 1_024;
const MAX_SAMPLES = 1_000;
/** What files begin and end with that are Parquet. */
const PARQUET = "PAR1";

/** The first bytes of a file as it was uploaded. */
async function uploadedHead(file: FileBytes, length: number): Promise<Buffer> {
  const { bytes } = await unpackedHead(file, false, length);
  return bytes;
}

/** The records of the first bytes of a file, as many as samples may be. */
function samplesOf(head: TextWindow, scan: Scan, from: Position, most: number): FileRecord[] {
  const samples: FileRecord[] = [];
  let at = from;
  while (samples.length < most) {
    const found = scanWithin(scan, head, at.offset, at.line);
    if (found === "more" || found === "end") break;
    if (found.record !== null) samples.push(found.record);
    at = { offset: found.end, line: at.line + found.lines };
  }
  return samples;
}

type Looked = { format: FileFormat; samples: readonly FileRecord[] };

/** Whether a text begins as a JSON object does, or as a list of them. */
const LOOKS_JSON = /^\s{0,1000}(?:\{\s{0,1000}["}]|\[\s{0,1000}[{\]])/;

function lookedAtJson(head: TextWindow, isGzip: boolean): Looked {
  const mark = markLength(head.bytes);
  const list = listStart(head.bytes, mark);
  const scan = list === null ? linesScan : listScan;
  const from: Position = { offset: list ?? mark, line: START.line };
  const all = samplesOf(head, scan, from, Number.POSITIVE_INFINITY);
  const columns = keysOf(all);
  const objects = all.filter((record) => "fields" in record).length;
  // A document over many lines may have some that are objects by themselves.
  if (columns.length === 0 || (list === null && objects * 2 < all.length))
    throw new FileFault(
      list === null
        ? "This file is JSON, but has no object in a line of its own: write one object a line (NDJSON), or one list of objects."
        : "The list that this file is has no objects with keys.",
    );
  const format: FileFormat = { format: "ndjson", isGzip, delimiter: null, columns };
  return { format, samples: all.slice(0, MAX_SAMPLES) };
}

function lookedAtCsv(head: TextWindow, isGzip: boolean): Looked {
  const delimiter = delimiterOf(head);
  const { columns, next } = csvHeader(head, delimiter);
  const samples = samplesOf(head, csvScan(delimiter, columns), next, MAX_SAMPLES);
  return { format: { format: "csv", isGzip, delimiter, columns }, samples };
}

async function lookedAtParquet(file: FileBytes): Promise<Looked> {
  const columns = await parquetColumns(file);
  const format: FileFormat = { format: "parquet", isGzip: false, delimiter: null, columns };
  return { format, samples: await parquetSamples(file, columns, MAX_SAMPLES) };
}

/**
 * What a file is, from the first MiB of what it unpacks to: its format, its columns, and its first lines (at most 1,000).
 * @throws FileFault with a sentence for people where it is none that can be read
 */
export async function recognize(file: FileBytes): Promise<Looked> {
  const first = await uploadedHead(file, PARQUET.length);
  if (first.length === 0) throw new FileFault("This file is empty.");
  if (first.toString("latin1") === PARQUET) return lookedAtParquet(file);
  const isGzip = first[0] === 0x1f && first[1] === 0x8b;
  const { bytes, isWhole } = await unpackedHead(file, isGzip, HEAD_BYTES);
  if (bytes.toString("latin1", 0, PARQUET.length) === PARQUET)
    throw new FileFault("This is a Parquet file within gzip: unpack it, and upload it as it is.");
  const fault = foreignFault(bytes) ?? encodingFault(bytes, isWhole);
  if (fault !== null) throw new FileFault(fault);
  const head: TextWindow = { bytes, isLast: isWhole };
  const begins = bytes.toString("utf8", markLength(bytes), 4_096);
  return LOOKS_JSON.test(begins) ? lookedAtJson(head, isGzip) : lookedAtCsv(head, isGzip);
}
