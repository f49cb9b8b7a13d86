import { type FileHandle, open, statfs } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { BackupFault } from "../backup-fault.ts";

/** How much is read and written at once: a backup that is stopped ends within so much. */
const PIECE_BYTES = 4 * 2 ** 20;
/** After so much the disk has to have it: else all of a large copy would be waiting for the disk at once, and others with it. */
const FLUSH_BYTES = 2 * PIECE_BYTES;

/** How long (ms) to rest behind work that took so long: what runs beside has the disk and the processors meanwhile. */
export type RestAfter = (tookMs: number) => number;

/**
 * What a backup leaves free on its disk, which may be that of the database: while a backup is made PostgreSQL keeps its log, and it stops
 * where it has no room for that.
 */
export const LEFT_BYTES = 512 * 2 ** 20;

/** What is free for us on the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** A number of bytes, for people. */
export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MB`;

/** After so much work it rests: so long others may wait for the disk. */
const WORK_MS = 20;

/** What copies files one after the other. */
export class FileCopying {
  /** Memory for each piece is had once: new memory for each of thousands of files would keep the collector busy. */
  readonly piece = Buffer.allocUnsafe(PIECE_BYTES);
  readonly signal: AbortSignal;
  readonly #restAfter: RestAfter;
  readonly #folder: string;
  #since = performance.now();

  /** @param folder on the disk that it writes to */
  constructor(folder: string, signal: AbortSignal, restAfter: RestAfter) {
    this.#folder = folder;
    this.signal = signal;
    this.#restAfter = restAfter;
  }

  /**
   * Between two pieces of work: rests where it has worked for a while.
   * @throws BackupFault where others have used so much of the disk meanwhile that going on could fill it
   */
  async rest(): Promise<void> {
    this.signal.throwIfAborted();
    const free = await freeBytes(this.#folder);
    if (free < LEFT_BYTES / 2)
      throw new BackupFault(
        `No backup was made: no more than ${megabytes(free)} are free on the disk of ${this.#folder} by now.`,
      );
    const tookMs = performance.now() - this.#since;
    if (tookMs < WORK_MS) return;
    const restMs = this.#restAfter(tookMs);
    if (restMs > 0) await sleep(restMs, undefined, { signal: this.signal });
    this.#since = performance.now();
  }
}

const codeOf = (cause: unknown): string | undefined => (cause as NodeJS.ErrnoException).code;

/** Opens a file to be read, or answers null where it is gone: PostgreSQL removes files while others are copied. */
export const openIfThere = (path: string): Promise<FileHandle | null> =>
  open(path, "r").catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT") return null;
    throw cause;
  });

/** Makes a file with the mode and, where this process may give files away, the owner of another. */
export async function makeAlike(path: string, source: FileHandle): Promise<FileHandle> {
  const { mode, uid, gid } = await source.stat();
  const made = await open(path, "wx", mode & 0o777);
  if (process.getuid?.() === 0) await made.chown(uid, gid);
  return made;
}

async function pour(source: FileHandle, target: FileHandle, copying: FileCopying): Promise<number> {
  const { piece } = copying;
  for (let at = 0, waiting = 0; ; ) {
    await copying.rest();
    const { bytesRead } = await source.read(piece, 0, piece.length, at);
    if (bytesRead === 0) return at;
    await target.writeFile(piece.subarray(0, bytesRead));
    at += bytesRead;
    waiting += bytesRead;
    if (waiting < FLUSH_BYTES) continue;
    await target.datasync();
    waiting = 0;
  }
}

/**
 * Copies a file that others may be writing, as far as it goes. Answers its bytes, or null where it is gone.
 * @param to where there is no file yet
 */
export async function copyFile(from: string, to: string, copying: FileCopying): Promise<number | null> {
  const source = await openIfThere(from);
  if (source === null) return null;
  try {
    const target = await makeAlike(to, source);
    try {
      return await pour(source, target, copying);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

const MOST_READS = 100;

/** Copies a small file that is written at once by another process: two readings that are the same have no half of a writing in them. */
export async function copyWhole(from: string, to: string): Promise<number> {
  const source = await open(from, "r");
  try {
    let before = await read(source);
    for (let reads = 1; reads < MOST_READS; reads++) {
      const now = await read(source);
      if (now.equals(before)) return await writeAlike(to, source, now);
      before = now;
    }
    throw new Error(`${from} is never the same twice.`);
  } finally {
    await source.close();
  }
}

async function read(source: FileHandle): Promise<Buffer> {
  const { size } = await source.stat();
  const { buffer, bytesRead } = await source.read(Buffer.alloc(size), 0, size, 0);
  return buffer.subarray(0, bytesRead);
}

async function writeAlike(path: string, source: FileHandle, bytes: Buffer): Promise<number> {
  const target = await makeAlike(path, source);
  try {
    await target.writeFile(bytes);
    return bytes.length;
  } finally {
    await target.close();
  }
}
