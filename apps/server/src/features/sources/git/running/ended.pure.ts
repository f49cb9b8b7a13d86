/** Why a call was killed: its time, the size of its repository, the room of its project, what it prints, or its caller waits no longer. */
export type KilledAs = "timeout" | "too_much" | "no_room" | "output" | "aborted";

/** What became of a call. `code` is the exit code: many commands say no with 1. `memory`: it needed more than it may have. */
export type GitEnded =
  | { state: "ended"; code: number; stdout: string; stderr: string }
  | { state: "missing" | "memory" | KilledAs };

/** How much is kept of what git and a host say, in bytes: its end. */
export const MOST_STDERR_BYTES = 64 * 1_024;

/** Exit codes of the shell that starts git, where it finds none that can be started. */
const NO_COMMAND: ReadonlySet<number> = new Set([126, 127]);
const [SIGXCPU, SIGXFSZ] = [24, 25];
const SIGNALLED = 128;

// What git itself says begins so; what a host says begins with "remote:".
const NO_MEMORY =
  /^(?:fatal|error): .*(?:out of memory|cannot allocate memory|unable to create thread|died of signal 9\b)/im;
const NO_TIME = /^(?:fatal|error): .*died of signal 24\b/m;
const NO_FILE = /^(?:fatal|error): .*(?:died of signal 25\b|file too large)/im;

/** What became of a git that was not killed by its caller. `text` is the end of what it said; where it `isCut`, the line that it begins with is not whole. */
export function endOf({
  code,
  stdout,
  text,
  isCut,
}: {
  code: number;
  stdout: string;
  text: string;
  isCut: boolean;
}): GitEnded {
  const stderr = isCut ? text.slice(text.indexOf("\n") + 1 || text.length) : text;
  if (NO_COMMAND.has(code)) return { state: "missing" };
  if (code === SIGNALLED + SIGXCPU) return { state: "timeout" };
  if (code === SIGNALLED + SIGXFSZ) return { state: "too_much" };
  if (code !== 0 && NO_MEMORY.test(stderr)) return { state: "memory" };
  if (code !== 0 && NO_TIME.test(stderr)) return { state: "timeout" };
  if (code !== 0 && NO_FILE.test(stderr)) return { state: "too_much" };
  return { state: "ended", code, stdout, stderr };
}

/** Why a question about a history has no answer, in a sentence for people. */
export const UNTOLD: Readonly<Record<Exclude<GitEnded["state"], "ended">, string>> = {
  missing: "The git command is not on this machine.",
  memory: "To compare its changes takes more memory than git may have here.",
  timeout: "The history is too long to look through.",
  output: "The history is too long to look through.",
  aborted: "The history is too long to look through.",
  too_much: "To compare its changes takes more room than git may have here.",
  no_room: "To compare its changes takes more room than git may have here.",
};
