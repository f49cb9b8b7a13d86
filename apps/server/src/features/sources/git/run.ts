import type { GitEnded } from "./start.ts";
import { orderGit } from "./starter.ts";

const SECOND_MS = 1_000;
/** How long a command may take that reads the mirror alone. */
const DEADLINE_MS = 30 * SECOND_MS;
/** The most bytes that a command may print. */
const MOST_BYTES = 64 * 1_024 * 1_024;

/** A call of the git command. */
export type GitCall = {
  args: readonly string[];
  /** The repository; none for `ls-remote`. */
  folder?: string;
  /** Written to its standard input. */
  input?: string;
  /** Settings for this call, which git reads from its environment, where other users of the machine cannot see them. */
  config?: Readonly<Record<string, string>>;
  env?: Readonly<Record<string, string>>;
  /** Milliseconds after which it is killed; 30 seconds unless said otherwise. */
  deadlineMs?: number;
  maxBytes?: number;
  signal?: AbortSignal | undefined;
  /** Looked at every half second; the call is killed when it answers true. */
  isTooMuch?: () => Promise<boolean>;
};

/** Settings of every call: nothing of the machine's configuration counts, and nothing of a repository is executed. */
const ALWAYS: Readonly<Record<string, string>> = {
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "credential.helper": "",
  "fetch.fsckObjects": "true",
  // Faults that old histories have, and that harm nothing.
  "fetch.fsck.zeroPaddedFilemode": "ignore",
  "fetch.fsck.badTimezone": "ignore",
  "fetch.fsck.missingSpaceBeforeDate": "ignore",
  "fetch.recurseSubmodules": "false",
  "gc.auto": "0",
  "http.followRedirects": "false",
  // A server that says nothing for a minute ends a fetch, also one whose parent was killed.
  "http.lowSpeedLimit": "1",
  "http.lowSpeedTime": "60",
  "maintenance.auto": "false",
  "protocol.ext.allow": "never",
};

function environmentOf({ config = {}, env = {} }: GitCall): Record<string, string> {
  const settings = Object.entries({ ...ALWAYS, ...config });
  return {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    HOME: "/nonexistent",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    ...env,
  };
}

/** Text of git for people, without what could be a credential. */
export const scrubbed = (text: string): string =>
  text
    .replace(/\/\/[^/@\s]*@/g, "//")
    .replace(/\bauthorization\b.*/gi, "authorization …")
    .replace(/\b(basic|bearer|token|password)(\s*[:=]\s*|\s+)\S+/gi, "$1 …")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 300);

/** Runs git in a process group of its own, which is killed as a whole. Never throws for what git says: its exit code is an answer. */
export async function runGit(call: GitCall): Promise<GitEnded> {
  const {
    args,
    folder,
    input = "",
    deadlineMs = DEADLINE_MS,
    maxBytes = MOST_BYTES,
    signal,
    isTooMuch,
  } = call;
  if (signal?.aborted) return { state: "aborted" };
  const started = orderGit({
    args: folder === undefined ? args : [`--git-dir=${folder}`, ...args],
    env: environmentOf(call),
    ...{ input, deadlineMs, maxBytes },
  });
  const abort = (): void => started.kill("aborted");
  signal?.addEventListener("abort", abort);
  const watch =
    isTooMuch === undefined
      ? null
      : setInterval(() => {
          isTooMuch().then(
            (is) => is && started.kill("too_much"),
            () => undefined,
          );
        }, SECOND_MS / 2);
  try {
    return await started.ended;
  } finally {
    if (watch !== null) clearInterval(watch);
    signal?.removeEventListener("abort", abort);
  }
}

/** The oldest git that has `merge-tree --write-tree`. */
const OLDEST = [2, 38] as const;

/** Why git cannot be used on this machine, in a sentence; null where it can. */
export async function gitFault(): Promise<string | null> {
  const ended = await runGit({ args: ["version"] });
  if (ended.state !== "ended") return "The git command is not on this machine.";
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(ended.stdout) ?? []).slice(1).map(Number);
  const isNewEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  return isNewEnough ? null : `git is older than ${OLDEST.join(".")}: ${ended.stdout.trim()}.`;
}
