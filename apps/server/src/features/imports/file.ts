import { createHash } from "node:crypto";
import type { Db } from "../../platform/db/db.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { MappingFault } from "./mapping/compile.pure.ts";
import { type FileBytes, FileFault } from "./reading/file-bytes.ts";
import { PART_BYTES } from "./schema.ts";
import { readPart, readPartSizes } from "./store.ts";

/** The uploaded bytes of an import, and how far they were read. */
export type UploadedFile = FileBytes & { readTo: () => number };

/** Parts that follow each other from the first one on, as one file. `missing`: the first part that is not there, where others follow, or null. */
export type Upload = { file: UploadedFile; missing: number | null };

/** Opens the uploaded parts of an import. Every part but the last has 4 MiB, or else those behind it cannot be placed. */
export async function openUpload(db: Db, projectId: string, importId: string): Promise<Upload> {
  const parts = await readPartSizes(db, projectId, importId);
  const isPlaced = (n: number, index: number): boolean =>
    n === index + 1 && (index === 0 || parts[index - 1]?.bytes === PART_BYTES);
  const stray = parts.findIndex(({ n }, index) => !isPlaced(n, index));
  const placed = stray === -1 ? parts : parts.slice(0, stray);
  const byteLength = placed.reduce((sum, { bytes }) => sum + bytes, 0);
  let furthest = 0;
  const file: UploadedFile = {
    byteLength,
    readTo: () => furthest,
    async read(start, end) {
      const pieces: Buffer[] = [];
      for (let at = start; at < end; ) {
        const index = Math.floor(at / PART_BYTES);
        const begin = index * PART_BYTES;
        const to = Math.min(end, begin + PART_BYTES);
        const place = { n: index + 1, from: at - begin, to: to - begin };
        const bytes = await readPart(db, projectId, importId, place);
        if (bytes === null) throw new Error(`Part ${place.n} of a file went while it was read.`);
        pieces.push(bytes);
        at = to;
      }
      furthest = Math.max(furthest, end);
      return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
    },
  };
  if (stray === -1) return { file, missing: null };
  // A part that is too small has the bytes missing that go before the next one.
  const isShort = placed.length > 0 && placed.at(-1)?.bytes !== PART_BYTES;
  return { file, missing: isShort ? stray : stray + 1 };
}

/** The SHA-256 of a file. */
export async function digestOf(file: FileBytes): Promise<Buffer> {
  const digest = createHash("sha256");
  for (let at = 0; at < file.byteLength; at += PART_BYTES)
    digest.update(await file.read(at, Math.min(file.byteLength, at + PART_BYTES)));
  return digest.digest();
}

/** What cannot be read, or does not fit the file, as a refusal of the request. @throws ApiError invalid_request */
export const orRefused = <T>(act: Promise<T>): Promise<T> =>
  act.catch((cause: unknown) => {
    const isFault = cause instanceof FileFault || cause instanceof MappingFault;
    throw isFault ? new ApiError("invalid_request", cause.message, { cause }) : cause;
  });
