/** The bytes of a file as it was uploaded, which may be gzip. `read` answers from `start` up to `end`, or the beginning of that. */
export type FileBytes = { byteLength: number; read(start: number, end: number): Promise<Buffer> };

/** Why a whole file cannot be read, as a sentence for people. */
export class FileFault extends Error {
  override name = "FileFault";
}

/** The longest record of a file of text, in bytes. */
export const MAX_RECORD_BYTES = 256 * 1_024;
