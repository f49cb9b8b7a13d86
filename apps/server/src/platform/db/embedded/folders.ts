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
import { makeFolder } from "../../make-folder.ts";
import type { Owner } from "./place.ts";

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/**
 * Makes a folder that only PostgreSQL's user enters, or takes the one that is there if it can only be ours: where others can write (the
 * temporary folder), somebody may have put a folder of their own, or a link, in its place.
 */
function makePrivateFolder(path: string, owner: Owner): void {
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
    // The mode before the owner: root may still set it then, and nobody comes in between.
    fchmodSync(folder, 0o700);
    if (owner !== null) fchownSync(folder, owner.uid, owner.gid);
    else accessSync(path, constants.W_OK);
  } finally {
    closeSync(folder);
  }
}

/**
 * Makes DATA_DIR and the folders that only PostgreSQL's user enters.
 * @throws ConfigError, in one line, where one cannot be made or is somebody else's
 */
export function makeFolders(dataDir: string, own: readonly string[], owner: Owner): void {
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
