import { spawn } from "node:child_process";

/** A start of git. */
export type GitStart = {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Written to its standard input. */
  input: string;
  /** Milliseconds after which it is killed. */
  deadlineMs: number;
  maxBytes: number;
};

/** Why a call was killed. */
export type KilledAs = "timeout" | "too_much" | "aborted";

/** What became of a call. `code` is the exit code: many commands say no with 1. */
export type GitEnded =
  | { state: "ended"; code: number; stdout: string; stderr: string }
  | { state: "missing" | KilledAs };

/** A git that runs. `kill` ends its whole process group; the first reason counts. */
export type StartedGit = { ended: Promise<GitEnded>; kill(as: KilledAs): void };

/** Starts git. `ended` is rejected only where the system refuses to start it. */
export function startGit({ args, env, input, deadlineMs, maxBytes }: GitStart): StartedGit {
  const { promise: ended, resolve, reject } = Promise.withResolvers<GitEnded>();
  const child = spawn("git", args, { env, cwd: "/", detached: true, stdio: ["pipe", "pipe", "pipe"] });
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
  const printed: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
  let bytes = 0;
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) kill("too_much");
      else printed[name].push(chunk);
    });
  child.on("close", (code) => {
    clearTimeout(deadline);
    if (killedAs !== null) return resolve({ state: killedAs });
    const [stdout = "", stderr = ""] = [printed.stdout, printed.stderr].map((parts) =>
      Buffer.concat(parts).toString(),
    );
    resolve({ state: "ended", code: code ?? 128, stdout, stderr });
  });
  // A command that ends early closes its input; its exit code says why.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return { ended, kill };
}
