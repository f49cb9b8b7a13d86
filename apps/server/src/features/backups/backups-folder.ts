import { hash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { flush } from "../../platform/files/flush.ts";
import { makeFolder } from "../../platform/files/make-folder.ts";

/**
 * The folder in which backups lie, each in a folder of its own that is a DATA_DIR. What `backup.json` in it says is all that is known of a
 * backup: one that is copied or deleted by hand is known or forgotten with it.
 */

/** The file that says what a backup is. It is written last. */
const MANIFEST = "backup.json";
/** What it is called where a server was started on the backup. */
const STARTED_MANIFEST = "started-from-backup.json";
const FORMAT = 1;

const Manifest = z.object({
  format: z.literal(FORMAT),
  /** The version of Tidings that made it. */
  version: z.string(),
  /** Number of the database cluster, which its copies have as well. */
  cluster: z.string(),
  /** DATA_DIR of the server. */
  dataDir: z.string(),
  /** When copying began and ended, by the clock of the process, in epoch milliseconds. */
  startedAt: z.int(),
  endedAt: z.int(),
  files: z.int(),
  bytes: z.int(),
  /** Where the key is with which passwords and keys were sealed: the file in the backup, or the operator's SECRET_KEY; null where there is none yet. */
  secretKey: z.enum(["secret.key", "SECRET_KEY"]).nullable(),
});

/** What is known of a backup, beside where it lies. */
export type BackupFacts = Omit<z.infer<typeof Manifest>, "format">;
/** A backup that is complete. */
export type Backup = BackupFacts & { path: string };
/** One database among those whose backups lie in a folder. A copy of it that runs has the number of its cluster, and another DATA_DIR. */
export type BackedUp = Pick<BackupFacts, "cluster" | "dataDir">;

const UNFINISHED = ".unfinished-";

/** Where a backup is made before it has its name: its database makes one at a time. */
const draftPath = (folder: string, { cluster, dataDir }: BackedUp): string =>
  join(folder, `${UNFINISHED}${cluster}-${hash("sha256", dataDir).slice(0, 8)}`);

/** `tidings-2026-11-29T12-35-58Z`: sorts by when it was made, and every file system takes it. */
const nameOf = (startedAt: number): string =>
  `tidings-${new Date(startedAt).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;

async function read(path: string): Promise<Backup | null> {
  const text = await readFile(join(path, MANIFEST), "utf8").catch(() => null);
  if (text === null) return null;
  try {
    const { format: _, ...facts } = Manifest.parse(JSON.parse(text));
    return { ...facts, path };
  } catch {
    // It is of a later version, or not ours: it is left alone.
    return null;
  }
}

/** The complete backups of a database, the newest first; none where there is no such folder. */
export async function listBackups(folder: string, { cluster, dataDir }: BackedUp): Promise<Backup[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.filter((name) => !name.startsWith(".")).map((name) => read(join(folder, name))),
  );
  return found
    .filter((each) => each !== null)
    .filter((each) => each.cluster === cluster && each.dataDir === dataDir)
    .sort((a, b) => b.startedAt - a.startedAt);
}

/** Makes an empty draft, in place of one that was not finished, and the folder with what is missing above it. Answers its path. */
export async function makeDraft(folder: string, database: BackedUp): Promise<string> {
  makeFolder(folder);
  const draft = draftPath(folder, database);
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  return draft;
}

/** Gives a draft its name. From then on it is a backup, and was none before. */
export async function finish(draft: string, folder: string, facts: BackupFacts): Promise<Backup> {
  const file = await open(join(draft, MANIFEST), "wx", 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ format: FORMAT, ...facts }, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await flush(draft);
  const path = join(folder, await freeName(folder, nameOf(facts.startedAt)));
  await rename(draft, path);
  await flush(folder);
  return { ...facts, path };
}

/** A second backup within a second gets a number. */
async function freeName(folder: string, name: string): Promise<string> {
  const taken = new Set(await readdir(folder));
  for (let number = 2, free = name; ; number++) {
    if (!taken.has(free)) return free;
    free = `${name}-${number}`;
  }
}

/** Removes the oldest backups of the database of one, so that `keep` are left. */
export async function removeOldest(folder: string, made: Backup, keep: number): Promise<void> {
  // The one that was made stays, also where others were made by a clock that was ahead.
  const others = (await listBackups(folder, made)).filter(({ path }) => path !== made.path);
  for (const { path } of others.slice(keep - 1)) {
    // Removing takes a while, and one that is half gone must not pass for a backup.
    const leaving = draftPath(folder, made);
    await rename(path, leaving);
    await rm(leaving, { recursive: true, force: true });
  }
}

/** A backup that a server starts on is its data from then on, and no backup that is listed or removed. */
export const leaveBackups = (dataDir: string): Promise<void> =>
  rename(join(dataDir, MANIFEST), join(dataDir, STARTED_MANIFEST)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT" && cause.code !== "ENOTDIR") throw cause;
  });
