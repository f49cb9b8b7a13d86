import { spawn } from "node:child_process";
import { constants } from "node:os";
import { endOf, type GitEnded, type KilledAs, MOST_STDERR_BYTES } from "./ended.pure.ts";

/** A start of git. */
export type GitStart = {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Written to its standard input. */
  input: string;
  /** Milliseconds after which it is killed. */
  deadlineMs: number;
  /** The most bytes that it may print. */
  maxBytes: number;
  /** The most memory that each of its processes may have, in megabytes. */
  memoryMb: number;
  /** The largest file that it may write, in megabytes. */
  fileMb: number;
};

/** A git that runs. `kill` ends its whole process group; the first reason counts. */
export type StartedGit = { ended: Promise<GitEnded>; kill(as: KilledAs): void };

/**
 * Bounds itself, and becomes git: its memory in KB, its processor time in seconds, its largest file in blocks of 512 bytes, and no core file.
 * What a system does not have is left out. Memory is counted without mapped files (`-d`), which packs are read by.
 */
const BOUNDED = `
ulimit -c 0 2>/dev/null || :
ulimit -d "$1" 2>/dev/null || :
ulimit -t "$2" 2>/dev/null || :
ulimit -f "$3" 2>/dev/null || :
shift 3
exec git "$@"`;

const KB_OF_MB = 1_024;
const BLOCKS_OF_MB = 2_048;

/** The end of what a stream says, up to a number of bytes. */
function tailOf(most: number): { add(chunk: Buffer): void; read(): { text: string; isCut: boolean } } {
  const parts: Buffer[] = [];
  let kept = 0;
  let isCut = false;
  return {
    add(chunk) {
      parts.push(chunk);
      kept += chunk.length;
      for (let first = parts[0]; first !== undefined && kept - first.length >= most; first = parts[0]) {
        parts.shift();
        kept -= first.length;
        isCut = true;
      }
    },
    read: () => ({ text: Buffer.concat(parts).subarray(-most).toString(), isCut: isCut || kept > most }),
  };
}

/** The name of a signal, by its number. */
const NUMBERS: Readonly<Record<string, number>> = constants.signals;

/** Starts git within its bounds. `ended` is rejected only where the system refuses to start it. */
export function startGit(start: GitStart): StartedGit {
  const { args, env, input, deadlineMs, maxBytes, memoryMb, fileMb } = start;
  const { promise: ended, resolve, reject } = Promise.withResolvers<GitEnded>();
  const seconds = Math.ceil(deadlineMs / 1_000);
  const bounds = [memoryMb * KB_OF_MB, seconds, fileMb * BLOCKS_OF_MB].map(String);
  const child = spawn("/bin/sh", ["-c", BOUNDED, "git", ...bounds, ...args], {
    env,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let killedAs: KilledAs | null = null;
  const kill = (as: KilledAs): void => {
    killedAs ??= as;
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The group has ended already.
    }
  };
  const deadline = setTimeout(() => kill("timeout"), deadlineMs);
  child.on("error", (error: NodeJS.ErrnoException) => {
    clearTimeout(deadline);
    if (error.code === "ENOENT") resolve({ state: "missing" });
    else reject(error);
  });
  // Where the system has started nothing there are no streams either.
  if (child.pid === undefined) return { ended, kill };
  const printed: Buffer[] = [];
  let bytes = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) kill("output");
    else printed.push(chunk);
  });
  // What a host says comes here as well, as much as it likes: the end of it says why.
  const complaints = tailOf(MOST_STDERR_BYTES);
  child.stderr.on("data", complaints.add);
  child.on("close", (code, signal) => {
    clearTimeout(deadline);
    if (killedAs !== null) return resolve({ state: killedAs });
    const number = signal === null ? 0 : (NUMBERS[signal] ?? 0);
    // As a shell writes it: what a signal ended has 128 and its number.
    const ending = {
      code: code ?? 128 + number,
      stdout: Buffer.concat(printed).toString(),
      ...complaints.read(),
    };
    resolve(endOf(ending));
  });
  // A command that ends early closes its input; its exit code says why.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return { ended, kill };
}
