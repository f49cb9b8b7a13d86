import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { killHard } from "./processes.ts";

/** The command that is tested. */
export const BIN = new URL("../../bin/tidings.mjs", import.meta.url).pathname;
const SET_CLOCK = new URL("set-clock.ts", import.meta.url).href;
const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 15_000;

/** A process of Tidings whose clock a test sets, and which is started again after it was killed. */
export type ClockedProcess = {
  /** Starts it; resolves with what the pattern found in what it says, and how long that took. */
  start(running: RegExp): Promise<{ found: RegExpExecArray; tookMs: number }>;
  /** SIGKILL; `ended` waits for its end. */
  killNow(): void;
  isRunning(): boolean;
  /** Resolves once it has ended. */
  ended(): Promise<void>;
  /** Epoch milliseconds by its clock. */
  now(): number;
  /** Sets its clock forward to an instant; resolves when it goes by it. Later starts go by it too. */
  advanceTo(instant: number): Promise<void>;
  /** SIGTERM; answers the exit code, null of one that was never started. */
  stop(): Promise<number | null>;
  /** The last that it logged since its start. */
  lastLog(): string;
};

/** A process of `tidings serve`, which is not started yet. */
export function clockedProcess(options: { cwd: string; env: NodeJS.ProcessEnv }): ClockedProcess {
  let child: ChildProcess | null = null;
  let logged = "";
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  const isRunning = (): boolean => child !== null && child.exitCode === null && child.signalCode === null;
  async function ended(): Promise<void> {
    if (child !== null && isRunning())
      await once(child, "exit", { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
  }
  return {
    async start(running) {
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
        const found = running.exec(logged);
        if (found !== null) return { found, tookMs: performance.now() - begun };
        if (!isRunning()) break;
      }
      throw new Error(`The server did not start: ${logged.trim() || "it said nothing"}`);
    },
    killNow() {
      if (child?.pid !== undefined && isRunning()) killHard(child.pid);
    },
    isRunning,
    ended,
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
      await ended();
      return child.exitCode;
    },
    lastLog: () => logged.trim(),
  };
}
