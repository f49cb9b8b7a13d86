import { beginningOf } from "@tidings/client/text";
import type { GitEnded, KilledAs } from "./ended.pure.ts";
import { Places } from "./places.ts";
import { orderGit } from "./starter.ts";

const SECOND_MS = 1_000;
/** How long a command may take that reads the mirror alone. */
const DEADLINE_MS = 30 * SECOND_MS;
const MEGABYTE = 1_024 * 1_024;
/** The most bytes that a command may print. What it prints is taken apart line by line, which takes many times as much memory. */
const MOST_BYTES = 16 * MEGABYTE;
/** The most bytes of what is handed on as it is, or has few parts. */
export const MOST_PATCH_BYTES = 64 * MEGABYTE;

/** What a call does: read a mirror, ask a host, or bring much to a mirror and work on all of it. */
type Kind = "read" | "ask" | "bring";

/** How many run at once in this process, and how many of one owner; how much memory each may have, and what files it may write, in megabytes. */
const BOUNDS: Readonly<Record<Kind, { places: Places; memoryMb: number; fileMb: number }>> = {
  read: { places: new Places({ atOnce: 4, ofOne: 2 }), memoryMb: 512, fileMb: 16 },
  ask: { places: new Places({ atOnce: 4, ofOne: 2 }), memoryMb: 256, fileMb: 16 },
  bring: { places: new Places({ atOnce: 2, ofOne: 1 }), memoryMb: 1_024, fileMb: 4_096 },
};

/** A call of the git command. */
export type GitCall = {
  args: readonly string[];
  /** The repository; none for `ls-remote`. */
  folder?: string;
  /** Whose it is: owners get their places in turn. */
  owner?: string | undefined;
  /** `read` unless said otherwise. */
  kind?: Kind;
  /** Megabytes, where the kind's bound does not fit. */
  memoryMb?: number;
  fileMb?: number;
  /** Written to its standard input. */
  input?: string;
  /** Settings for this call, which git reads from its environment, where other users of the machine cannot see them. */
  config?: Readonly<Record<string, string>>;
  env?: Readonly<Record<string, string>>;
  /** Milliseconds after which it is killed, from its start on; 30 seconds unless said otherwise. */
  deadlineMs?: number;
  maxBytes?: number;
  signal?: AbortSignal | undefined;
  /** Asked every half second, once at a time; the call is killed for what it answers. */
  excess?: () => Promise<KilledAs | null>;
};

/** The tree without files. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** Settings of every call: nothing of the machine's configuration counts, and nothing of a repository is executed. */
const ALWAYS: Readonly<Record<string, string>> = {
  // Attributes of a repository could have it say what is text, however large.
  "attr.tree": EMPTY_TREE,
  // Larger files are compared as a whole: to compare their lines takes up to 70 times their size in memory.
  "core.bigFileThreshold": "4m",
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
  "pack.threads": "2",
  "pack.windowMemory": "64m",
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
  beginningOf(
    text
      .replace(/\/\/[^/@\s]*@/g, "//")
      .replace(/\bauthorization\b.*/gi, "authorization …")
      .replace(/\b(basic|bearer|token|password)(\s*[:=]\s*|\s+)\S+/gi, "$1 …")
      .replace(/\s+/g, " ")
      .trim(),
    300,
  );

/** Runs a call that has its place. */
async function runAtOnce(call: GitCall): Promise<GitEnded> {
  const { args, folder, input = "", deadlineMs = DEADLINE_MS, maxBytes = MOST_BYTES, signal, excess } = call;
  const bounds = BOUNDS[call.kind ?? "read"];
  const { memoryMb = bounds.memoryMb, fileMb = bounds.fileMb } = call;
  const started = orderGit({
    args: folder === undefined ? args : [`--git-dir=${folder}`, ...args],
    env: environmentOf(call),
    input,
    deadlineMs,
    maxBytes,
    memoryMb,
    fileMb,
  });
  const abort = (): void => started.kill("aborted");
  signal?.addEventListener("abort", abort);
  let isAsking = false;
  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    try {
      const found = await excess?.();
      if (found) started.kill(found);
    } catch {
      // It is asked again.
    } finally {
      isAsking = false;
    }
  };
  const watch = excess === undefined ? undefined : setInterval(ask, SECOND_MS / 2);
  try {
    return await started.ended;
  } finally {
    clearInterval(watch);
    signal?.removeEventListener("abort", abort);
  }
}

/**
 * Runs git in a process group of its own, which is killed as a whole, within the bounds of its kind, once there is a place for it. Never
 * throws for what git says: its exit code is an answer.
 */
export async function runGit(call: GitCall): Promise<GitEnded> {
  const { kind = "read", owner = "", signal } = call;
  if (signal?.aborted) return { state: "aborted" };
  const taken = BOUNDS[kind].places.take(owner, signal);
  const leave = taken instanceof Promise ? await taken : taken;
  if (leave === null) return { state: "aborted" };
  try {
    return signal?.aborted ? { state: "aborted" } : await runAtOnce(call);
  } finally {
    leave();
  }
}

/** The oldest git whose `patch-id` tells changes of large and binary files apart; it has `merge-tree --write-tree`. */
const OLDEST = [2, 39] as const;

/** Why git cannot be used on this machine, in a sentence; null where it can. */
export async function gitFault(): Promise<string | null> {
  const ended = await runGit({ args: ["version"] });
  if (ended.state !== "ended") return "The git command is not on this machine.";
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(ended.stdout) ?? []).slice(1).map(Number);
  const isNewEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  return isNewEnough ? null : `git is older than ${OLDEST.join(".")}: ${ended.stdout.trim()}.`;
}
