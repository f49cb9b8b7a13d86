import { execFile } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { embeddedAddress } from "../../src/platform/db/embedded/place.ts";
import { KEY_FILE } from "../../src/platform/secrets/secrets.ts";
import { makeMigratedFolder } from "../data-folder.ts";
import { logFile } from "../secrets/secrets-of-the-run.ts";
import { BIN, type ClockedProcess, clockedProcess } from "./clocked.ts";
import { killHard, postgresOf, postmasterOf } from "./processes.ts";

const COMMAND_TIMEOUT_MS = 60_000;

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
  /** A second process that works beside it on its PostgreSQL, to be started once the server has been. */
  worker(): ClockedProcess;
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
  const node = clockedProcess(options);
  const workers: ClockedProcess[] = [];
  const killPostgres = (): void => postgresOf(dataDir).forEach(killHard);

  return {
    dataDir,
    async start() {
      const { found, tookMs } = await node.start(/running at (http:\S+)/);
      return { url: found[1] ?? "", tookMs };
    },
    async kill(mode, { first, gapMs }) {
      if (!node.isRunning()) throw new Error(`The server had ended by itself: ${node.lastLog()}`);
      const steps = mode === "node" ? [node.killNow] : [node.killNow, killPostgres];
      if (first === "postgres") steps.reverse();
      for (const [index, step] of steps.entries()) {
        if (index > 0 && gapMs > 0) await sleep(gapMs);
        step();
      }
      await node.ended();
    },
    now: node.now,
    advanceTo: node.advanceTo,
    stop: node.stop,
    lastLog: node.lastLog,
    worker() {
      if (!("host" in address)) throw new Error("The embedded PostgreSQL has no socket.");
      const worker = clockedProcess({
        cwd: dataDir,
        env: environment(join(dataDir, "worker"), {
          ...more,
          DATABASE_URL: `postgres://${address.user}@${encodeURIComponent(address.host)}/${address.database}`,
          SECRET_KEY: readFileSync(join(dataDir, KEY_FILE), "utf8").trim(),
          ROLES: "worker",
          // It says at this level that it works.
          LOG_LEVEL: "info",
        }),
      });
      workers.push(worker);
      return worker;
    },
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
      for (const each of [node, ...workers]) each.killNow();
      killPostgres();
      for (const path of leftovers) rmSync(path, { recursive: true, force: true, maxRetries: 10 });
    },
    async dispose() {
      for (const each of [node, ...workers]) each.killNow();
      for (const each of [node, ...workers]) await each.ended();
      killPostgres();
      for (let tries = 0; tries < 100 && postmasterOf(dataDir) !== null; tries++) await sleep(50);
      for (const path of leftovers) await rm(path, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
