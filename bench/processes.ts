import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import pg from "pg";
import { startEmbedded } from "../apps/server/src/platform/db/embedded/embedded.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { takeProfile } from "./profile.ts";
// As `npm start` does: the server starts from its bundle.
import "../apps/server/scripts/build.ts";

/** The checkout that this file is in. */
const OWN_FOLDER = new URL("..", import.meta.url).pathname;

/** A program that this run started. */
export type Started = { port: number; process: ChildProcess; stop(): Promise<void> };

/** Runs a program until it prints the address it listens on. */
async function startProgram(
  args: readonly string[],
  env: Record<string, string>,
  seen: (line: string) => void,
): Promise<Started> {
  const child = spawn(process.execPath, [...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const port = await new Promise<number>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${args[0]} ended with ${code}`)));
    lines.on("line", (line) => {
      seen(line);
      const match = /http:\/\/127\.0\.0\.1:(\d+)$/.exec(line);
      if (match?.[1] !== undefined) resolve(Number(match[1]));
    });
  });
  return {
    port,
    process: child,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** A server of this folder that stands beside Tidings to compare with. */
export const startBaseline = (file: string, env: Record<string, string> = {}): Promise<Started> =>
  startProgram([new URL(file, import.meta.url).pathname], env, () => undefined);

/** The one-by-one baseline, on a PostgreSQL of its own with the settings of ours: neither fills the other's caches. */
export async function startOneByOne(): Promise<Started> {
  const dataDir = await mkdtemp(join(tmpdir(), "tidings-bench-"));
  const embedded = await startEmbedded(dataDir, createLog("error"));
  if (embedded === null) throw new Error("The folder of the baseline is in use.");
  const started = await startBaseline("./one-by-one.ts", { PGHOST: join(dataDir, "run") });
  return {
    ...started,
    async stop() {
      await started.stop();
      await embedded.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const TICKS_PER_SECOND = 100;

/** The parent of a process, and the processor time of its ended children; zeros when it is gone. Fields as in proc(5). */
function cpuOf(pid: number): { children: number; parent: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The third field is the first after the name, which may contain anything.
    const field = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const seconds = (user: number, system: number): number =>
      ((field[user - 3] ?? 0) + (field[system - 3] ?? 0)) / TICKS_PER_SECOND;
    return { children: seconds(16, 17), parent: field[1] ?? 0 };
  } catch {
    return { children: 0, parent: 0 };
  }
}

/** Processor time of the threads that a process has now, in seconds: exact, where the system's own sum goes by hundredths. */
function threadSeconds(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
      return sum + Number(nanoseconds) / 1e9;
    }, 0);
  } catch {
    return 0;
  }
}

function memoryMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
}

const childrenOf = (parent: number): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => cpuOf(pid).parent === parent);

export type TidingsUnderLoad = Started & {
  dataDir: string;
  /** What a command prints that is run beside the server, on its data folder. */
  command(...args: readonly string[]): Promise<string>;
  publishableKey: string;
  secretKey: string;
  agentKey: string;
  projectId: string;
  /** A client of its database, for seeding and for looking. */
  connect(database?: string): Promise<pg.Client>;
  /** Resident memory of the Node process, in MB. */
  memoryMb(): number;
  /** Processor time used so far, in seconds. */
  cpu(): { node: number; postgres: number };
};

/** As `npm start` starts it: with a young generation that stays small under load, and an old one that is collected when it has about doubled. */
const NODE_FLAGS = ["--max-semi-space-size=16", "--heap-growing-percent=110"];

/** The server of a checkout on a data folder that stays: until it says where it listens. */
export async function startAgain(dataDir: string, folder = OWN_FOLDER) {
  const program = join(folder, "apps/server/bin/tidings.mjs");
  const settings = { DATA_DIR: dataDir, PORT: "0", HOST: "127.0.0.1", LOG_LEVEL: "warn" };
  const started = await startProgram([...NODE_FLAGS, program, "serve"], settings, () => undefined);
  const pid = started.process.pid ?? 0;
  return { ...started, memoryMb: () => memoryMb(pid), nodeSeconds: () => threadSeconds(pid) };
}

/** Keeps the keys of a first start beside the data: later starts print none. */
const KEPT_KEYS = "bench-keys.json";

/**
 * The server as people start it, on a data folder of its own that goes away with it.
 * @param folder of the checkout whose server it is
 * @param kept a data folder that stays, and may be there from a run before
 */
export async function startTidings(
  env: Record<string, string> = {},
  folder = OWN_FOLDER,
  kept: string | null = null,
): Promise<TidingsUnderLoad> {
  const program = join(folder, "apps/server/bin/tidings.mjs");
  const dataDir = kept ?? (await mkdtemp(join(tmpdir(), "tidings-bench-")));
  const keysFile = join(dataDir, KEPT_KEYS);
  const profile = await takeProfile();
  const keys: Record<string, string> = existsSync(keysFile)
    ? (JSON.parse(readFileSync(keysFile, "utf8")) as Record<string, string>)
    : {};
  let started: Started;
  const settings = {
    DATA_DIR: dataDir,
    PORT: "0",
    HOST: "127.0.0.1",
    RATE_LIMITS: "off",
    // PostgreSQL is started anew where statements are counted, which is a lot to say.
    LOG_LEVEL: profile === null ? "warn" : "silent",
    ...env,
  };
  const ready = Promise.withResolvers<void>();
  if (Object.keys(keys).length > 0) ready.resolve();
  started = await startProgram(
    [...NODE_FLAGS, ...(profile?.flags ?? []), program, "serve"],
    settings,
    (line) => {
      const file = / {2}All keys +in (.+?) \(/.exec(line)?.[1];
      if (file === undefined) return;
      for (const [, name = "", value = ""] of readFileSync(file, "utf8").matchAll(/^(\w+) +(\S+)$/gm))
        keys[name] = value;
      ready.resolve();
    },
  );
  await ready.promise;
  if (kept !== null) {
    mkdirSync(kept, { recursive: true });
    writeFileSync(keysFile, JSON.stringify(keys));
  }
  const postmaster = (): number =>
    Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0]);
  async function connect(database = "tidings"): Promise<pg.Client> {
    const client = new pg.Client({ host: join(dataDir, "run"), user: "tidings", database });
    // A PostgreSQL that is started anew says goodbye.
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }
  await profile?.countStatements(connect, postmaster());
  return {
    ...started,
    dataDir,
    publishableKey: keys.publishableKey ?? "",
    secretKey: keys.secretKey ?? "",
    agentKey: keys.agentKey ?? "",
    projectId: keys.projectId ?? "",
    async command(...args) {
      const env = { ...process.env, DATA_DIR: dataDir };
      return (await promisify(execFile)(process.execPath, [program, ...args], { env })).stdout;
    },
    connect,
    cpu() {
      const ended = cpuOf(postmaster()).children;
      return {
        node: threadSeconds(started.process.pid ?? 0),
        postgres: childrenOf(postmaster()).reduce((sum, pid) => sum + threadSeconds(pid), ended),
      };
    },
    memoryMb: () => memoryMb(started.process.pid ?? 0),
    async stop() {
      await profile?.printStatements(connect);
      await started.stop();
      await profile?.printFunctions();
      if (kept === null) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
