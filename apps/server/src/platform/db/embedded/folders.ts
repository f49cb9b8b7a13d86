import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  mkdirSync,
  openSync,
  statSync,
} from "node:fs";
import { ConfigError } from "../../config.ts";
import { makeFolder } from "../../files/make-folder.ts";
import type { PostgresUser } from "./place.ts";

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/**
 * Makes a folder that only PostgreSQL's user may enter, or uses the existing one if it can only be ours: where others can write (the
 * temporary folder), another user may have put a folder or a link in its place.
 */
function makePrivateFolder(path: string, owner: PostgresUser): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const { uid } = fstatSync(folder);
    const ours = [process.getuid?.() ?? uid, owner?.uid];
    if (!ours.includes(uid))
      throw new ConfigError(`${path} belongs to user ${uid}, and has to belong to this one: remove it.`);
    // The mode is set before the owner changes, so that the new owner never has it with another mode.
    fchmodSync(folder, 0o700);
    if (owner !== null) fchownSync(folder, owner.uid, owner.gid);
    else accessSync(path, constants.W_OK);
  } finally {
    closeSync(folder);
  }
}

/**
 * Makes DATA_DIR and the folders that only PostgreSQL's user enters.
 * @throws ConfigError, in one line, where one cannot be made or belongs to another user
 */
export function makeFolders(dataDir: string, own: readonly string[], owner: PostgresUser): void {
  try {
    makeFolder(dataDir);
    // The folder itself is ours to open, as far as passing through it goes.
    if (owner !== null) chmodSync(dataDir, statSync(dataDir).mode | 0o011);
    for (const path of own) makePrivateFolder(path, owner);
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    const { path } = cause as NodeJS.ErrnoException;
    throw new ConfigError(`DATA_DIR ${dataDir} cannot be used: ${codeOf(cause)} at ${path ?? dataDir}.`, {
      cause,
    });
  }
}
