import { chown, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { flush } from "../../../platform/files/flush.ts";
import { BackupFault } from "../backup-fault.ts";
import { CONTROL_FILE, isFileCopied, isFolderRead, neededOf } from "./copied-files.pure.ts";
import { copyFile, copyWhole, type FileCopying, freeBytes, LEFT_BYTES, megabytes } from "./copy-file.ts";
import type { BackupEnd } from "./session-store.ts";

/** From which folder of a PostgreSQL to which, and what stops it. */
export type Copying = { from: string; to: string; work: FileCopying };
/** What was copied: paths from the folder of the database, and the bytes of all files. */
type Copied = { folders: string[]; files: string[]; bytes: number };

type Found = { folders: string[]; files: string[] };

/** Lists folders, each before what is in it, and files. What is gone meanwhile needs no copy. */
async function find(root: string, path: string, found: Found): Promise<Found> {
  found.folders.push(path);
  if (!isFolderRead(path)) return found;
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw cause;
  });
  for (const entry of entries) {
    const inner = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) await find(root, inner, found);
    else if (entry.isFile() && isFileCopied(inner)) found.files.push(inner);
    else if (entry.isSymbolicLink())
      throw new BackupFault(`No backup was made: ${join(root, inner)} is a link, and would not be copied.`);
  }
  return found;
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

/** @throws BackupFault where the disk has no room, before anything is written */
async function assertRoom({ from, to }: Copying, files: readonly string[]): Promise<void> {
  let bytes = LEFT_BYTES;
  for (const file of files) bytes += await sizeOf(join(from, file));
  const free = await freeBytes(dirname(to));
  if (bytes > free)
    throw new BackupFault(
      `No backup was made: it takes ${megabytes(bytes)}, and ${megabytes(free)} are free on the disk of ${to}.`,
    );
}

async function makeFolders({ from, to }: Copying, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const { mode, uid, gid } = await stat(join(from, folder)).catch(() => stat(from));
    await mkdir(join(to, folder), { mode: mode & 0o777 });
    if (process.getuid?.() === 0) await chown(join(to, folder), uid, gid);
  }
}

/** Copies what lies in the folder, except the write-ahead log, while PostgreSQL is in backup mode. */
async function copyFiles(copying: Copying): Promise<Copied> {
  const { from, to, work } = copying;
  const { folders, files } = await find(from, "", { folders: [], files: [] });
  await assertRoom(copying, files);
  await makeFolders(copying, folders);
  const copied: Copied = { folders, files: [], bytes: 0 };
  for (const file of files) add(copied, file, await copyFile(join(from, file), join(to, file), work));
  add(copied, CONTROL_FILE, await copyWhole(join(from, CONTROL_FILE), join(to, CONTROL_FILE)));
  return copied;
}

function add(copied: Copied, file: string, bytes: number | null): void {
  if (bytes === null) return;
  copied.files.push(file);
  copied.bytes += bytes;
}

const LOG = "pg_wal";

/**
 * Copies the write-ahead log from the first segment to the last, each of which has to be there.
 * @throws Error where one is missing, which PostgreSQL keeps for us
 */
async function copyLog(
  copying: Copying,
  copied: Copied,
  { first, last }: { first: string; last: string },
): Promise<void> {
  const { from, to, work } = copying;
  const needed = new Set([first, ...neededOf(await readdir(join(from, LOG)), first, last), last]);
  for (const name of needed) {
    const file = `${LOG}/${name}`;
    const bytes = await copyFile(join(from, file), join(to, file), work);
    if (bytes === null) throw new Error(`${file} was not there.`);
    add(copied, file, bytes);
  }
}

/** Writes the label by which PostgreSQL knows the files as a copy, and has all that was copied stay on the disk. */
async function sealCopy({ from, to, work }: Copying, copied: Copied, label: string): Promise<void> {
  const { uid, gid } = await stat(from);
  const path = join(to, "backup_label");
  await writeFile(path, label, { mode: 0o600, flag: "wx" });
  if (process.getuid?.() === 0) await chown(path, uid, gid);
  // Two at once, and not while they are copied: the disk takes many small files together.
  const left = [...copied.files, "backup_label"].values();
  const flushThem = async (): Promise<void> => {
    for (const file of left) {
      await work.rest();
      await flush(join(to, file));
    }
  };
  await Promise.all([flushThem(), flushThem()]);
  for (const folder of copied.folders) await flush(join(to, folder));
}

/** A PostgreSQL in backup mode: the first segment of its log that is needed, how backup mode ends, and whether the log was kept until now. */
export type BackupMode = { firstSegment: string; end(): Promise<BackupEnd>; assertKept(): Promise<void> };

/** Copies a PostgreSQL that is in backup mode. */
export async function copyDatabase(
  copying: Copying,
  { firstSegment, end, assertKept }: BackupMode,
): Promise<{ files: number; bytes: number }> {
  const copied = await copyFiles(copying);
  const { lastSegment, label } = await end();
  await copyLog(copying, copied, { first: firstSegment, last: lastSegment });
  await assertKept();
  await sealCopy(copying, copied, label);
  return { files: copied.files.length, bytes: copied.bytes };
}
