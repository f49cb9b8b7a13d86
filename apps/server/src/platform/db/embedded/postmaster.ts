import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../log.ts";
import type { PostgresUser } from "./place.ts";

const STOP_TIMEOUT_MS = 8_000;
const RESTART_DELAY_MS = 500;

/**
 * Whether a process runs. A zombie does not: it has ended, but its parent (often process 1) has not collected it yet, and may
 * never do so.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    // The process has ended in between; without /proc (macOS) the answer of `kill` has to do.
    return !existsSync("/proc/self/stat");
  }
}

const isSameFolder = (a: string | undefined, b: string): boolean => {
  try {
    return a !== undefined && realpathSync(a) === realpathSync(b);
  } catch {
    return false;
  }
};

/** The postmaster that a killed server left behind, or null. The pid file names it; it is checked that it is PostgreSQL. */
export function leftBehind(pgData: string, owner: PostgresUser): number | null {
  const pidFile = join(pgData, "postmaster.pid");
  if (!existsSync(pidFile)) return null;
  const [pid, folder] = readFileSync(pidFile, "utf8").split("\n");
  const id = Number(pid);
  if (!Number.isInteger(id) || id <= 1 || !isSameFolder(folder, pgData) || !isAlive(id)) return null;
  // Another program may have the number by now, or the file may be forged: only a PostgreSQL of the right user is stopped.
  try {
    if (!readFileSync(`/proc/${id}/cmdline`, "utf8").includes("postgres")) return null;
    if (owner !== null && statSync(`/proc/${id}`).uid !== owner.uid) return null;
  } catch {
    // No /proc (macOS): the folder in the pid file has to do.
  }
  return id;
}

async function untilGone(pid: number, timeoutMs: number): Promise<boolean> {
  for (const until = Date.now() + timeoutMs; Date.now() < until; ) {
    if (!isAlive(pid)) return true;
    await sleep(20);
  }
  return !isAlive(pid);
}

/** Stops a PostgreSQL: fast, then hard. */
export async function stopPostmaster(pid: number): Promise<void> {
  // SIGINT is PostgreSQL's fast shutdown; SIGQUIT leaves recovery to the next start, which loses nothing either.
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    if (await untilGone(pid, STOP_TIMEOUT_MS)) return;
  }
}

/**
 * PostgreSQL refuses to start while a process has the number in its pid file, be it a zombie or a stranger. A number it
 * passes over is its parent's: with that one it still makes sure, by the rest of the file, that no backend is left.
 * The file lies in a folder of PostgreSQL's user, who could put a link there: what is no plain file of theirs is left alone.
 */
export function disownPidFile(pidFile: string, owner: PostgresUser): void {
  let file: number;
  try {
    file = openSync(pidFile, constants.O_RDWR | constants.O_NOFOLLOW);
  } catch (error) {
    if (["ENOENT", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "")) return;
    throw error;
  }
  try {
    const { uid, nlink } = fstatSync(file);
    if (nlink !== 1 || uid !== (owner?.uid ?? process.getuid?.() ?? uid)) return;
    const [, ...rest] = readFileSync(file, "utf8").split("\n");
    const text = [process.pid, ...rest].join("\n");
    ftruncateSync(file);
    writeSync(file, text, 0);
  } finally {
    closeSync(file);
  }
}

/** How to start a PostgreSQL. */
export type PostmasterLaunch = {
  binary: string;
  args: readonly string[];
  options: { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number };
};

/** A PostgreSQL that is started again when it ends by itself. */
export type Postmaster = {
  /** Why it is not running, or null while it is. */
  fault(): string | null;
  /** From now on an end is unexpected: it is logged, and PostgreSQL started again. */
  watch(): void;
  stop(): Promise<void>;
};

export function launchPostmaster({ binary, args, options }: PostmasterLaunch, log: Log): Postmaster {
  let child: ChildProcess;
  let complaint = "";
  let isWatched = false;

  function launch(): void {
    complaint = "";
    // Its own session: Ctrl-C must reach the server only, which then stops PostgreSQL last.
    const started = spawn(binary, args, { ...options, detached: true, stdio: ["ignore", "ignore", "pipe"] });
    child = started;
    started.stderr.on("data", (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-2_000);
      log.debug({ postgres: chunk.toString().trim() }, "postgres");
    });
    // The server's own exit must not wait for its child, nor for a pipe of it.
    (started.stderr as unknown as { unref(): void }).unref();
    started.unref();
    started.once("exit", (code, signal) => {
      if (!isWatched) return;
      log.error({ code, signal, complaint }, "PostgreSQL ended unexpectedly; starting it again");
      setTimeout(() => {
        if (isWatched) launch();
      }, RESTART_DELAY_MS).unref();
    });
  }

  launch();
  return {
    fault: () =>
      child.exitCode === null && child.signalCode === null ? null : complaint.trim() || "it exited",
    watch() {
      isWatched = true;
    },
    async stop() {
      isWatched = false;
      if (child.pid !== undefined && child.exitCode === null) await stopPostmaster(child.pid);
    },
  };
}
