import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { embeddedAddress } from "../../src/platform/db/embedded/place.ts";
import { makeMigratedFolder } from "../data-folder.ts";
import { logFile } from "../secrets/secrets-of-the-run.ts";
import { killHard, postgresOf, postmasterOf } from "./processes.ts";

const BIN = new URL("../../bin/tidings.mjs", import.meta.url).pathname;
const SET_CLOCK = new URL("set-clock.ts", import.meta.url).href;
const START_TIMEOUT_MS = 90_000;
const COMMAND_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;

/** `node`: the server alone, its PostgreSQL is left behind. `node+postgres`: everything, as when a machine dies. */
export type KillMode = "node" | "node+postgres";

/** Of a kill of everything: who goes first, and how long the other outlives it. */
export type KillOrder = { first: "node" | "postgres"; gapMs: number };

/** The real server on a data folder of its own, to be killed and started again. */
export type CrashServer = {
  dataDir: string;
  /** Resolves when it says that it runs. */
  start(): Promise<{ url: string; tookMs: number }>;
  kill(mode: KillMode, order: KillOrder): Promise<void>;
  /** Epoch milliseconds by the clock of the server. */
  now(): number;
  /** Sets the clock of the server forward to an instant; resolves when it goes by it. Later starts go by it too. */
  advanceTo(instant: number): Promise<void>;
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>;
  /** The last that it logged since its start: where a fault is to be explained. */
  lastLog(): string;
  /** A `tidings` command beside the server; answers what it printed, whatever its exit code. */
  command(...args: string[]): Promise<string>;
  /** Ends whatever is left and removes the folder, at once: for a process that is being ended itself. */
  disposeNow(): void;
  dispose(): Promise<void>;
};

const environment = (dataDir: string, more: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  // Nothing else of this process' environment: a DATABASE_URL in it is not ours to load and kill.
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  TMPDIR: tmpdir(),
  DATA_DIR: dataDir,
  HOST: "127.0.0.1",
  PORT: "0",
  RATE_LIMITS: "off",
  LOG_LEVEL: "error",
  LOG_FILE: logFile(),
  ...more,
});

/** @param more further variables of its environment */
export async function createCrashServer(more: Readonly<Record<string, string>> = {}): Promise<CrashServer> {
  const dataDir = await makeMigratedFolder("tidings-crash-");
  // The folder is empty of a .env, which the command would read.
  const options = { cwd: dataDir, env: environment(dataDir, more) };
  const address = embeddedAddress(dataDir);
  const leftovers = [dataDir, ...("host" in address ? [address.host] : [])];
  let child: ChildProcess | null = null;
  let logged = "";
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;

  const isRunning = (process: ChildProcess): boolean =>
    process.exitCode === null && process.signalCode === null;
  const ended = async (process: ChildProcess): Promise<void> => {
    if (isRunning(process)) await once(process, "exit", { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
  };
  const killNode = (): void => {
    if (child?.pid !== undefined && isRunning(child)) killHard(child.pid);
  };
  const killPostgres = (): void => postgresOf(dataDir).forEach(killHard);

  return {
    dataDir,
    async start() {
      const begun = performance.now();
      logged = "";
      const started = spawn(process.execPath, ["--import", SET_CLOCK, BIN, "serve"], {
        ...options,
        env: { ...options.env, CLOCK_AHEAD_MS: String(aheadMs) },
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      });
      child = started;
      for (const stream of [started.stdout, started.stderr]) {
        stream?.on("data", (chunk: Buffer) => {
          logged = (logged + chunk.toString()).slice(-8_000);
        });
      }
      for (const until = Date.now() + START_TIMEOUT_MS; Date.now() < until; await sleep(5)) {
        const url = /running at (http:\S+)/.exec(logged)?.[1];
        if (url !== undefined) return { url, tookMs: performance.now() - begun };
        if (!isRunning(started)) break;
      }
      throw new Error(`The server did not start: ${logged.trim() || "it said nothing"}`);
    },
    async kill(mode, { first, gapMs }) {
      if (child === null) return;
      if (!isRunning(child)) throw new Error(`The server had ended by itself: ${logged.trim()}`);
      const steps = mode === "node" ? [killNode] : [killNode, killPostgres];
      if (first === "postgres") steps.reverse();
      for (const [index, step] of steps.entries()) {
        if (index > 0 && gapMs > 0) await sleep(gapMs);
        step();
      }
      await ended(child);
    },
    now,
    async advanceTo(instant) {
      if (child === null || instant <= now()) return;
      aheadMs += instant - now();
      const isSet = once(child, "message", { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
      child.send(aheadMs);
      await isSet;
    },
    async stop() {
      if (child === null) return null;
      child.kill("SIGTERM");
      await ended(child);
      return child.exitCode;
    },
    lastLog: () => logged.trim(),
    command: (...args) =>
      new Promise((resolve, reject) => {
        const bounded = { ...options, timeout: COMMAND_TIMEOUT_MS };
        execFile(process.execPath, [BIN, ...args], bounded, (error, stdout, stderr) => {
          if (stdout.trim() === "")
            reject(new Error(`tidings ${args.join(" ")}: ${stderr}`, { cause: error }));
          else resolve(stdout);
        });
      }),
    disposeNow() {
      killNode();
      killPostgres();
      for (const path of leftovers) rmSync(path, { recursive: true, force: true, maxRetries: 10 });
    },
    async dispose() {
      killNode();
      if (child !== null) await ended(child);
      killPostgres();
      for (let tries = 0; tries < 100 && postmasterOf(dataDir) !== null; tries++) await sleep(50);
      for (const path of leftovers) await rm(path, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
