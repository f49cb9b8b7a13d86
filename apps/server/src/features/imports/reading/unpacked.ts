import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { type FileBytes, FileFault } from "./file-bytes.ts";

const READ_BYTES = 1_024 * 1_024;
const UNPACKED_BYTES = 256 * 1_024;

/** The bytes of a file as they were uploaded, from an offset on. */
async function* uploadedFrom(file: FileBytes, offset: number): AsyncGenerator<Buffer> {
  for (let at = offset; at < file.byteLength; ) {
    const bytes = await file.read(at, Math.min(at + READ_BYTES, file.byteLength));
    if (bytes.length === 0) throw new Error(`A file of ${file.byteLength} bytes ends at ${at}.`);
    at += bytes.length;
    yield bytes;
  }
}

/** A gzip file unpacked. No more of it is in memory than one chunk on each side, whatever it unpacks to. */
async function* gunzipped(file: FileBytes): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: UNPACKED_BYTES });
  // The reader of gunzip gets every error, also one of the source.
  pipeline(Readable.from(uploadedFrom(file, 0)), gunzip, () => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    if (error instanceof Error && "code" in error && String(error.code).startsWith("Z_"))
      throw new FileFault("This gzip file is broken or was cut off: pack it anew, or upload it unpacked.");
    throw error;
  }
}

async function* without(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield left > 0 ? chunk.subarray(left) : chunk;
    left = Math.max(0, left - chunk.length);
  }
}

/**
 * The unpacked text of a file from an offset (bytes of that text) on, in chunks of any size. Of gzip, what stands before the offset is
 * unpacked and left out, because gzip cannot be entered in the middle.
 */
export const unpackedFrom = (file: FileBytes, isGzip: boolean, offset: number): AsyncGenerator<Buffer> =>
  isGzip ? without(gunzipped(file), offset) : uploadedFrom(file, offset);

/** The first bytes of the unpacked text, and whether they are all of it. */
export async function unpackedHead(
  file: FileBytes,
  isGzip: boolean,
  maxBytes: number,
): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of unpackedFrom(file, isGzip, 0)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: length <= maxBytes };
}
