import { execFile } from "node:child_process";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Copies the PostgreSQL of a data folder, at rest, into another; its owner and its permissions stay as they are. */
export async function copyPostgres(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await promisify(execFile)("cp", ["-a", join(from, "postgres"), join(to, "postgres")]);
}

/**
 * Makes a data folder in which a server starts at once: its database is made and migrated, and has no project yet. Outside of a run of
 * the tests (bench) the folder is empty, and the first start makes its database.
 */
export async function makeMigratedFolder(prefix: string): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), prefix));
  const migrated = process.env.TIDINGS_TEST_MIGRATED;
  if (migrated !== undefined) await copyPostgres(migrated, made);
  return made;
}
