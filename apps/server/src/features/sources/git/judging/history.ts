import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Mirror } from "../mirror.ts";
import { UNTOLD } from "../running/ended.pure.ts";
import { type GitCall, MOST_PATCH_BYTES, runGit } from "../running/run.ts";
import { Scratch } from "./scratch.ts";

/** The most commits among which a pull request is looked for. */
export const MOST_COMMITS = 5_000;
/** The most paths that a command is given, and characters of them. */
const MOST_PATHS = 500;
const MOST_PATH_CHARACTERS = 50_000;
/** The most bytes that are read at once of what is taken apart here. */
const MOST_BYTES = 16 * 1_024 * 1_024;
/** How long a computation may keep others from the event loop, in milliseconds. */
const TURN_MS = 10;

/** Git cannot tell: whatever follows is unknown. */
export class Untold extends Error {}
/** Git printed more than is read. */
export class TooMuch extends Untold {}

export const TOO_FAR = UNTOLD.output;

export const linesIn = (text: string): string[] => text.split("\n").filter((line) => line !== "");

/** Lines for the standard input of a command. */
export const asInput = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** A path as itself, whatever characters it has. */
export const literal = (path: string): string => `:(literal,top)${path}`;

/** Whether so many paths can be given to a command; with more it looks at all. */
export const areFew = (paths: readonly string[]): boolean =>
  paths.length <= MOST_PATHS && paths.reduce((sum, path) => sum + path.length, 0) <= MOST_PATH_CHARACTERS;

/** What a commit is. */
export type Fact = { sha: string; parents: readonly string[]; tree: string; message: string };

/** A file that a commit changes, from one blob to another; null where there is none. */
export type FileChange = { path: string; before: string | null; after: string | null };

/** A commit with what it changes, compared with its first parent. */
export type CommitChanges = { commit: string; tree: string; parents: readonly string[]; files: FileChange[] };

const blobOf = (name: string): string | null => (/^0+$/.test(name) ? null : name);

/** The records of `--raw -z`, each behind a line about its commit. Paths may have any characters, so a file is known by what stands before it. */
function parseRaw(text: string): { about: string; files: FileChange[] }[] {
  const records: { about: string; files: FileChange[] }[] = [];
  const parts = text.split("\0");
  for (let index = 0; index < parts.length; index++) {
    const part = (parts[index] ?? "").replace(/^\n/, "");
    if (part === "") continue;
    if (!part.startsWith(":")) {
      records.push({ about: part.trim(), files: [] });
      continue;
    }
    const [, , before = "", after = ""] = part.split(" ");
    const path = parts[++index] ?? "";
    records.at(-1)?.files.push({ path, before: blobOf(before), after: blobOf(after) });
  }
  return records;
}

/** Reads a mirror for one question; what was read once is remembered. */
export class History {
  readonly #mirror: Mirror;
  readonly #signal: AbortSignal;
  /** Where git writes what trials make, so that a mirror has only what was fetched. */
  readonly #scratch: string;
  readonly #room: Scratch;
  readonly #known = new Map<string, Promise<unknown>>();
  readonly #facts = new Map<string, Fact | null>();
  readonly #files = new Map<string, FileChange[]>();
  readonly #blobs = new Map<string, string | null>();
  #turnedAt = performance.now();

  constructor(mirror: Mirror, scratch: string, signal: AbortSignal) {
    this.#mirror = mirror;
    this.#scratch = scratch;
    this.#room = new Scratch(scratch);
    this.#signal = signal;
  }

  once<T>(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key) ?? read();
    this.#known.set(key, known);
    return known as Promise<T>;
  }

  /** Lets others have the event loop now and then, and ends where the caller waits no more. */
  async turn(): Promise<void> {
    if (this.#signal.aborted) throw new Untold("the caller waits no more");
    if (performance.now() - this.#turnedAt < TURN_MS) return;
    await setImmediate();
    this.#turnedAt = performance.now();
  }

  /** The output and exit code of a call. Codes other than 0 and those that are allowed mean that git cannot tell. */
  async run(args: readonly string[], more: Partial<GitCall> = {}, allowed: readonly number[] = []) {
    const { folder } = this.#mirror;
    const env = {
      GIT_OBJECT_DIRECTORY: this.#scratch,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(folder, "objects"),
    };
    const ended = await runGit({ ...this.#mirror, args, signal: this.#signal, env, ...more });
    this.#turnedAt = performance.now();
    if (ended.state === "output") throw new TooMuch(UNTOLD.output);
    if (ended.state !== "ended") throw new Untold(UNTOLD[ended.state]);
    // Some versions say no, with a complaint, where a commit in between is missing.
    const isAnswer = ended.code === 0 || (allowed.includes(ended.code) && ended.stderr === "");
    if (!isAnswer) throw new Untold("git could not read the history");
    return ended;
  }

  isAncestor(sha: string, later: string): Promise<boolean> {
    return this.once(`ancestor ${sha} ${later}`, async () => {
      const { code } = await this.run(["merge-base", "--is-ancestor", sha, later], {}, [1]);
      return code === 0;
    });
  }

  /** Reads what is not known yet of some commits with one call; where that is too much, one by one, and nothing of those that are too much alone. */
  async #readAll<T>(
    shas: readonly string[],
    known: Map<string, T>,
    read: (shas: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const unknown = [...new Set(shas)].filter((sha) => !known.has(sha));
    if (unknown.length === 0) return;
    try {
      await read(unknown);
    } catch (error) {
      if (!(error instanceof TooMuch)) throw error;
      for (const sha of unknown)
        await read([sha]).catch((single: unknown) => {
          if (!(single instanceof TooMuch)) throw single;
        });
    }
  }

  /** Reads what commits are. One that is not in the mirror is left out. */
  async facts(shas: readonly string[]): Promise<Fact[]> {
    await this.#readAll(shas, this.#facts, async (unknown) => {
      const args = ["log", "--no-walk=unsorted", "--ignore-missing", "--stdin"];
      const input = asInput(unknown);
      const format = "--format=%H%x00%P%x00%T%x00%B%x00";
      const { stdout } = await this.run([...args, format], { input, maxBytes: MOST_BYTES });
      for (const sha of unknown) this.#facts.set(sha, null);
      const parts = stdout.split("\0");
      for (let index = 0; index + 3 < parts.length; index += 4) {
        const [name = "", parents = "", tree = "", message = ""] = parts.slice(index, index + 4);
        const sha = name.trim();
        this.#facts.set(sha, { sha, parents: parents.split(" ").filter(Boolean), tree, message });
      }
    });
    return shas.flatMap((sha) => this.#facts.get(sha) ?? []);
  }

  async has(shas: readonly string[]): Promise<boolean> {
    return (await this.facts(shas)).length === shas.length;
  }

  /** What a commit is. It is in the mirror. */
  async fact(sha: string): Promise<Fact> {
    const [fact] = await this.facts([sha]);
    if (fact === undefined) throw new Untold("git does not have a commit");
    return fact;
  }

  treeOf = async (sha: string): Promise<string> => (await this.fact(sha)).tree;

  /** Reads which files commits change, compared with their first parents; none where they are more than can be read. */
  async filesOf(shas: readonly string[]): Promise<readonly FileChange[][]> {
    await this.#readAll(shas, this.#files, async (unknown) => {
      const options = ["-r", "-z", "--raw", "--no-renames", "--root", "--diff-merges=first-parent"];
      const input = asInput(unknown);
      const { stdout } = await this.run(["diff-tree", "--stdin", ...options], {
        input,
        maxBytes: MOST_BYTES,
      });
      for (const sha of unknown) this.#files.set(sha, []);
      for (const { about, files } of parseRaw(stdout)) this.#files.set(about, files);
    });
    return shas.map((sha) => this.#files.get(sha) ?? []);
  }

  /** The blobs that a commit has at some paths; null where there is none. */
  async blobsAt(sha: string, paths: readonly string[]): Promise<(string | null)[]> {
    const unknown = [...new Set(paths)].filter((path) => !this.#blobs.has(`${sha}:${path}`));
    if (unknown.length > 0) {
      const input = unknown.map((path) => `${sha}:${path}\0`).join("");
      const { stdout } = await this.run(["cat-file", "-z", "--batch-check=%(objectname) blob"], {
        input,
        maxBytes: MOST_BYTES,
      });
      let place = 0;
      for (const path of unknown) {
        // A path that is not there is printed as it is, with whatever line ends it has.
        const missing = `${sha}:${path} missing\n`;
        const isMissing = stdout.startsWith(missing, place);
        const end = isMissing ? place + missing.length : stdout.indexOf("\n", place) + 1;
        this.#blobs.set(
          `${sha}:${path}`,
          isMissing ? null : stdout.slice(place, end).replace(/ blob\n$/, ""),
        );
        place = end;
      }
    }
    return paths.map((path) => this.#blobs.get(`${sha}:${path}`) ?? null);
  }

  /** Where two histories parted; null where they have nothing in common. */
  baseOf(a: string, b: string): Promise<string | null> {
    return this.once(`base ${a} ${b}`, async () => {
      const { stdout } = await this.run(["merge-base", a, b], {}, [1]);
      return stdout.trim() || null;
    });
  }

  /** Commits of a `git log` with what they change, in its order. */
  async places(args: readonly string[], input = ""): Promise<CommitChanges[]> {
    const options = ["--diff-merges=first-parent", "--no-renames", "--raw", "--no-abbrev", "-z"];
    const { stdout } = await this.run(["log", "--format=%H %T %P", ...options, ...args], { input });
    return parseRaw(stdout).map(({ about, files }): CommitChanges => {
      const [commit = "", tree = "", ...parents] = about.split(" ");
      return { commit, tree, parents, files };
    });
  }

  /** Whether so many commits, or more, came after one of them up to another. */
  isLonger(after: string, to: string, most: number): Promise<boolean> {
    return this.once(`longer ${after} ${to} ${most}`, async () => {
      const args = ["rev-list", "--count", `--max-count=${most + 1}`, `${after}..${to}`];
      return Number((await this.run(args)).stdout) > most;
    });
  }

  /** The tree of merging one commit into another; null where they conflict. */
  async mergedTree(into: string, other: string): Promise<string | null> {
    if (!(await this.#room.hasRoom())) throw new Untold(UNTOLD.no_room);
    const args = ["merge-tree", "--write-tree", "--no-messages", into, other];
    const { code, stdout } = await this.run(args, {}, [1]);
    return code === 0 ? (linesIn(stdout)[0] ?? null) : null;
  }

  /** A commit with a tree, for trials. */
  #trial(tree: string, parent: string | null): Promise<string> {
    return this.once(`trial ${tree} ${parent}`, async () => {
      const author = ["-c", "user.name=Tidings", "-c", "user.email=tidings@localhost"];
      const parents = parent === null ? [] : ["-p", parent];
      const args = [...author, "commit-tree", ...parents, "-m", "Trial", tree];
      return (await this.run(args)).stdout.trim();
    });
  }

  /** The tree of doing to one tree what leads from another one to a third; null where that conflicts. */
  async appliedTree(to: string, from: string, until: string): Promise<string | null> {
    if (from === until) return to;
    const base = await this.#trial(from, null);
    return this.mergedTree(await this.#trial(to, base), await this.#trial(until, base));
  }

  /** The tree of what a commit is compared with: its first parent, or nothing. */
  async treeBefore(sha: string): Promise<string> {
    const [parent] = (await this.fact(sha)).parents;
    if (parent !== undefined) return this.treeOf(parent);
    return this.once("empty tree", async () => (await this.run(["mktree"])).stdout.trim());
  }

  /** Patch ids of the patches that are given, by the commits in whose name they stand. */
  async idsOf(patches: string): Promise<[commit: string, patch: string][]> {
    const { stdout } = await this.run(["patch-id", "--stable"], { input: patches });
    return linesIn(stdout).map((line) => {
      const [patch = "", commit = ""] = line.split(" ");
      return [commit, patch];
    });
  }

  /** Patches of commits that a `git log` lists; merges and empty commits have none. */
  async patches(args: readonly string[], input = ""): Promise<string> {
    const plain = ["--no-merges", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
    const options = ["log", "--format=commit %H", "-p", "--full-index", ...plain, ...args];
    return (await this.run(options, { input, maxBytes: MOST_PATCH_BYTES })).stdout;
  }

  patchIds = async (args: readonly string[], input = ""): Promise<[commit: string, patch: string][]> =>
    this.idsOf(await this.patches(args, input));
}
