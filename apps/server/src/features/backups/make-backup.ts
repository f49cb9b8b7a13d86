import { realpath, rm } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { readBuild } from "../../platform/build.ts";
import type { Config } from "../../platform/config.ts";
import type { Database } from "../../platform/db/db.ts";
import { diskFaultOf } from "../../platform/files/disk-fault.ts";
import { flush } from "../../platform/files/flush.ts";
import { KEY_FILE } from "../../platform/secrets/secrets.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { BackupFault, BackupUnderWay } from "./backup-fault.ts";
import { type Backup, finish, makeDraft, removeOldest } from "./backups-folder.ts";
import { copyDatabase } from "./copying/copy-database.ts";
import { copyFile, FileCopying, type RestAfter } from "./copying/copy-file.ts";
import { assertKept, type BackupSession, beginSession, endSession } from "./copying/session-store.ts";

type BackupClient = ReturnType<Database["connectAlone"]>;

const databaseFolder = (dataDir: string): string => join(dataDir, "postgres");

/** The embedded database, and where its backups lie. */
export type BackupParts = {
  config: Pick<Config, "dataDir" | "secretKey">;
  database: Database;
  clock: Clock;
  folder: string;
  /** How many backups of this database stay, the new one among them; null leaves all. */
  keep: number | null;
  signal: AbortSignal;
  /** How it goes on beside a server that answers requests. */
  restAfter: RestAfter;
};

/**
 * Makes a backup of the embedded database while it runs: a folder that is a DATA_DIR, and is there as a whole or not at all.
 * @throws BackupFault in sentences for the operator
 */
export async function makeBackup(parts: BackupParts): Promise<Backup> {
  const { signal } = parts;
  await assertOutside(parts);
  const client = parts.database.connectAlone("tidings backup");
  // Where the connection is lost, the next statement fails.
  client.on("error", () => undefined);
  await client.connect();
  // A statement may be under way that waits for a checkpoint.
  const giveUp = (): void => void client.end().catch(() => undefined);
  signal.addEventListener("abort", giveUp);
  try {
    signal.throwIfAborted();
    return await within(client, parts);
  } catch (cause) {
    signal.throwIfAborted();
    if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause;
    const { path } = cause as NodeJS.ErrnoException;
    throw new BackupFault(`No backup was made. ${diskFaultOf(cause)} (${path ?? parts.folder})`, { cause });
  } finally {
    signal.removeEventListener("abort", giveUp);
    await client.end().catch(() => undefined);
  }
}

/** The path that the system knows a folder by, which may not be there yet. */
const realFolder = (path: string): Promise<string> =>
  realpath(path).catch(async () =>
    dirname(path) === path ? path : join(await realFolder(dirname(path)), basename(path)),
  );

/** @throws BackupFault where the folder for backups lies in that of the database: PostgreSQL has everything in it to itself */
async function assertOutside({ config: { dataDir }, folder }: BackupParts): Promise<void> {
  const [place, database] = [await realFolder(folder), await realFolder(databaseFolder(dataDir))];
  if (place === database || place.startsWith(`${database}${sep}`))
    throw new BackupFault(
      `No backup was made: ${folder} lies in the folder of the database. Choose one outside of it.`,
    );
}

async function within(client: BackupClient, parts: BackupParts): Promise<Backup> {
  const { config, clock, folder, keep } = parts;
  const startedAt = clock();
  const session = await beginSession(client);
  if (session === null)
    throw new BackupUnderWay("No backup was made: another one is under way. Try again when it has ended.");
  const { cluster } = session;
  const draft = await makeDraft(folder, { cluster, dataDir: config.dataDir });
  const backup = await completed(draft, client, session, { ...parts, startedAt }).catch(
    async (cause: unknown) => {
      // What cannot be removed now is removed by the next one.
      await rm(draft, { recursive: true, force: true }).catch(() => undefined);
      throw cause;
    },
  );
  if (keep !== null) await removeOthers(folder, backup, keep);
  return backup;
}

async function completed(
  draft: string,
  client: BackupClient,
  session: BackupSession,
  parts: BackupParts & { startedAt: number },
): Promise<Backup> {
  const { config, clock, folder, startedAt } = parts;
  const { hasKey, ...copied } = await copyAll(client, session, draft, parts);
  return finish(draft, folder, {
    ...copied,
    version: (await readBuild()).version,
    cluster: session.cluster,
    dataDir: config.dataDir,
    startedAt,
    endedAt: clock(),
    secretKey: config.secretKey !== null ? "SECRET_KEY" : hasKey ? KEY_FILE : null,
  });
}

async function removeOthers(folder: string, made: Backup, keep: number): Promise<void> {
  try {
    await removeOldest(folder, made, keep);
  } catch (cause) {
    const { code = String(cause), path = folder } = cause as NodeJS.ErrnoException;
    throw new BackupFault(`${made.path} is complete. An older one cannot be removed: ${code} at ${path}.`, {
      cause,
    });
  }
}

async function copyAll(
  client: BackupClient,
  { firstSegment }: BackupSession,
  draft: string,
  { config: { dataDir }, signal, restAfter }: BackupParts,
): Promise<{ files: number; bytes: number; hasKey: boolean }> {
  const work = new FileCopying(draft, signal, restAfter);
  const { files, bytes } = await copyDatabase(
    { work, from: databaseFolder(dataDir), to: databaseFolder(draft) },
    { firstSegment, end: () => endSession(client), assertKept: () => assertKept(client) },
  );
  const hasKey = (await copyFile(join(dataDir, KEY_FILE), join(draft, KEY_FILE), work)) !== null;
  if (hasKey) await flush(join(draft, KEY_FILE));
  return { files, bytes, hasKey };
}
