import { gzipSync } from "node:zlib";
import type { FileFormat, FileRecord } from "../schema.ts";
import type { FileBytes } from "./file-bytes.ts";
import { recognize } from "./recognize.ts";
import { type Position, type RecordPiece, readPieces, START } from "./records.ts";

/** A file that answers at most `most` bytes a read, so that its text is cut anywhere. */
export function fileOf(content: string | Buffer, most = Number.POSITIVE_INFINITY): FileBytes {
  const bytes = Buffer.from(content);
  return {
    byteLength: bytes.length,
    read: async (start, end) => bytes.subarray(start, Math.min(end, start + most)),
  };
}

/** The same content as a plain file and as gzip, each cut at so many bytes. */
export const waysOf = (content: string | Buffer, most?: number): FileBytes[] => [
  fileOf(content, most),
  fileOf(gzipSync(content), most),
];

/** Every piece of a file. */
export async function piecesOf(
  file: FileBytes,
  format: FileFormat,
  from: Position = START,
): Promise<RecordPiece[]> {
  const pieces: RecordPiece[] = [];
  for await (const piece of readPieces(file, format, from)) pieces.push(piece);
  return pieces;
}

/** Every record of a file from a position on. */
export async function recordsOf(file: FileBytes, format: FileFormat, from?: Position): Promise<FileRecord[]> {
  const pieces = await piecesOf(file, format, from);
  return pieces.flatMap(({ records }) => records);
}

/** Every record of a file as it is recognized. */
export async function recordsIn(content: string | Buffer): Promise<FileRecord[]> {
  const file = fileOf(content);
  const { format } = await recognize(file);
  return recordsOf(file, format);
}

/** A record in a form that can be compared whatever its prototypes are: the line with its fields as entries, or the rule of its fault. */
export const plainly = (record: FileRecord): unknown =>
  "fault" in record
    ? [record.line, record.fault.rule, record.fault.field]
    : [record.line, JSON.parse(JSON.stringify(Object.entries(record.fields)))];

/** What whole files are refused with. */
export async function faultOf(content: string | Buffer): Promise<string> {
  try {
    await recordsIn(content);
  } catch (error) {
    if (error instanceof Error && error.name === "FileFault") return error.message;
    throw error;
  }
  return "none";
}
