import { execFile } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { ConfigError } from "../../config.ts";
import type { Log } from "../../log.ts";
import type { DatabaseAddress } from "../db.ts";
import { takeFolder } from "./claim.ts";
import { makeFolders } from "./folders.ts";
import { requireNotMoved } from "./moved.ts";
import {
  assertReachable,
  DATABASE_USER,
  embeddedAddress,
  findBinaries,
  type PostgresUser,
  socketFolder,
  unprivilegedOwner,
} from "./place.ts";
import {
  disownPidFile,
  launchPostmaster,
  leftBehind,
  type Postmaster,
  type PostmasterLaunch,
  stopPostmaster,
} from "./postmaster.ts";

/** A private PostgreSQL of this process, in `dataDir/postgres`. */
export type Embedded = { address: DatabaseAddress; stop(): Promise<void> };

/** The numbers in the names of sockets: where commands look beside a server, and where none does. */
const COMMON_PORT = 5432;
const ALONE_PORT = 5433;
const START_TIMEOUT_MS = 60_000;
const MAX_STARTS = 20;

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  shared_buffers: `${Math.max(32, Math.min(1024, Math.floor(totalmem() / 4 / 1_048_576)))}MB`,
  max_wal_size: "4GB",
  checkpoint_timeout: "15min",
  jit: "off",
  // An expensive read and the workers that help it take half of the processors: the rest is for requests that must be quick.
  max_parallel_workers: `${Math.max(0, Math.floor(availableParallelism() / 2) - 1)}`,
  // Containers often give /dev/shm 64 MB, which parallel queries outgrow.
  dynamic_shared_memory_type: "mmap",
  log_destination: "stderr",
  log_min_messages: "fatal",
  timezone: "UTC",
};

/** Waits until this PostgreSQL, and no other on the same socket, takes connections. @throws when it ended instead. */
async function untilAnswering(address: DatabaseAddress, postmaster: Postmaster): Promise<void> {
  for (const until = Date.now() + START_TIMEOUT_MS; ; await sleep(15)) {
    const client = new pg.Client({ ...address, connectionTimeoutMillis: 5_000 });
    try {
      await client.connect();
      await client.end();
      if (postmaster.fault() === null) return;
      throw new Error("another PostgreSQL answers in its place");
    } catch (cause) {
      const reason = postmaster.fault();
      if (reason !== null) throw new Error(`PostgreSQL did not start: ${reason}`, { cause });
      if (Date.now() > until) throw new Error("PostgreSQL did not answer in time.", { cause });
    }
  }
}

/** What PostgreSQL says while another one, or what is left of it, ends. Any other fault of its lock file stays. */
const ENDS_SOON = /lock file .* (already exists|is empty)|shared memory/;

const UNFINISHED = "postgres.new-";

/** Removes what killed starts have left. Their initdb may still be writing there: then removing is tried again. */
async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of readdirSync(dataDir).filter((each) => each.startsWith(UNFINISHED))) {
    const left = join(dataDir, name);
    for (let tries = 0; existsSync(left) && tries < 50; tries++) {
      try {
        rmSync(left, { recursive: true, force: true });
      } catch {
        // Something was written into it meanwhile.
      }
      if (existsSync(left)) await sleep(100);
    }
  }
}

export type EmbeddedOptions = {
  /** Settings of PostgreSQL that go before ours. */
  settings?: Readonly<Record<string, string>>;
  /** Called as soon as a process of PostgreSQL runs, long before it answers: what the caller does then, it does at the same time. */
  launched?: () => void;
  /** Whether nothing else may connect for as long as it runs: then its socket has another name than the one where commands look. */
  alone?: true;
};

type Child = PostmasterLaunch["options"];

/** Makes the database in another folder and renames it, so that a killed start never leaves half a database in its place. */
async function initialize(
  dataDir: string,
  initdb: string,
  owner: PostgresUser,
  child: Child,
  launched: () => void,
): Promise<void> {
  await removeUnfinished(dataDir);
  const unfinished = mkdtempSync(join(dataDir, UNFINISHED));
  if (owner !== null) chownSync(unfinished, owner.uid, owner.gid);
  const options = ["--username", DATABASE_USER, "--auth", "trust", "--encoding", "UTF8", "--no-instructions"];
  const collation = ["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", "--locale", "C"];
  const made = promisify(execFile)(initdb, ["--pgdata", unfinished, ...options, ...collation], child);
  launched();
  await made.catch((cause: { stderr?: string }) => {
    const complaint =
      cause.stderr
        ?.trim()
        .split("\n")
        .findLast((line) => line.includes("error")) ?? String(cause);
    throw new ConfigError(`The database cannot be made in DATA_DIR ${dataDir}: ${complaint}`, { cause });
  });
  renameSync(unfinished, join(dataDir, "postgres"));
}

/** Starts PostgreSQL, and tries again while backends of a killed server still use the shared memory. */
async function startPostmaster(
  launch: PostmasterLaunch,
  address: DatabaseAddress,
  log: Log,
  launched: () => void,
): Promise<Postmaster> {
  for (let starts = 1; ; starts++) {
    const postmaster = launchPostmaster(launch, log);
    launched();
    try {
      await untilAnswering({ ...address, database: "postgres" }, postmaster);
      postmaster.watch();
      return postmaster;
    } catch (error) {
      await postmaster.stop();
      if (starts === MAX_STARTS || !ENDS_SOON.test(postmaster.fault() ?? "")) throw error;
      await sleep(250);
    }
  }
}

/**
 * Starts the private PostgreSQL of a folder and keeps it running; creates it on first use. As root it runs under an
 * unprivileged user. Answers null when another process already runs this folder.
 * @throws ConfigError when the folder or the binaries cannot be reached by that user.
 */
export async function startEmbedded(
  dataDir: string,
  log: Log,
  { settings: given = {}, launched = () => undefined, alone }: EmbeddedOptions = {},
): Promise<Embedded | null> {
  const pgData = join(dataDir, "postgres");
  const owner = unprivilegedOwner(pgData);
  const sockets = socketFolder(dataDir);
  const port = alone === true ? ALONE_PORT : COMMON_PORT;
  const address = { ...embeddedAddress(dataDir), port };
  makeFolders(dataDir, [sockets, pgData], owner);
  const claim = await takeFolder(sockets);
  if (claim === null) return null;
  try {
    // Looked at under the claim: a move that was under way until now has ended. What is alone is a move, which looks for itself.
    if (alone !== true) requireNotMoved(dataDir);
    const binaries = await findBinaries();
    assertReachable(pgData, owner, "DATA_DIR");
    assertReachable(binaries.postgres, owner, "the PostgreSQL that npm installed");
    const options: Child = {
      cwd: pgData,
      env: { PATH: process.env.PATH, HOME: owner?.home ?? process.env.HOME, LC_ALL: "C", TZ: "UTC" },
      ...(owner === null ? {} : { uid: owner.uid, gid: owner.gid }),
    };
    const orphan = leftBehind(pgData, owner);
    if (orphan !== null) {
      log.warn({ pid: orphan }, "stopping the PostgreSQL that an earlier server left behind");
      await stopPostmaster(orphan);
    }
    disownPidFile(join(pgData, "postmaster.pid"), owner);
    disownPidFile(join(sockets, `.s.PGSQL.${port}.lock`), owner);
    if (!existsSync(join(pgData, "PG_VERSION")))
      await initialize(dataDir, binaries.initdb, owner, options, launched);

    const settings = { ...SETTINGS, unix_socket_directories: sockets, port: String(port), ...given };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const launch = { binary: binaries.postgres, args: ["-D", pgData, ...flags], options };
    const postmaster = await startPostmaster(launch, address, log, launched);
    await createDatabase(address);
    return {
      address,
      async stop() {
        await postmaster.stop();
        await new Promise((resolve) => claim.close(resolve));
      },
    };
  } catch (error) {
    claim.close();
    throw error;
  }
}

async function createDatabase(address: DatabaseAddress): Promise<void> {
  const client = new pg.Client({ ...address, database: "postgres" });
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [DATABASE_USER]);
    if (rowCount === 0) await client.query(`create database ${DATABASE_USER}`);
  } finally {
    await client.end();
  }
}
