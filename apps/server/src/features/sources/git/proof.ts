import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UNTOLD } from "./ended.pure.ts";
import { mayHide } from "./large.ts";
import type { Mirror } from "./mirror.ts";
import { type GitCall, MOST_PATCH_BYTES, runGit } from "./run.ts";
import { Scratch } from "./scratch.ts";

/** A change of code. `mergeCommit`: the commit with which the host says that it was merged. */
export type Change =
  | { kind: "commit"; sha: string }
  | { kind: "pull_request"; number: number; shas: readonly string[]; mergeCommit: string | null };

/** Whether a change is in what was deployed. */
export type Verdict = {
  /** `pending`: nothing was deployed. `unknown`: the objects are missing, only a part was found, or a limit was reached. */
  state: "present" | "absent" | "reverted" | "pending" | "unknown";
  /** Whether it is on the branch; null where that is not known, or does not matter. */
  onBranch: boolean | null;
  /** The commits that are the change. */
  representation: readonly string[];
  reason: string | null;
};

/** What is asked about changes: `deployed` and `branchTip` are commits; null where there is none. */
export type Question = {
  changes: readonly Change[];
  branchTip: string | null;
  deployed: string | null;
  signal: AbortSignal;
};

/** The most commits among which a pull request is looked for. */
const MOST_COMMITS = 5_000;
/** The most merges that are tried for one pull request. */
const MOST_TRIALS = 400;
/** The most paths that a command is given; with more it looks at all. */
const MOST_PATHS = 500;

/** Git cannot tell: whatever follows is unknown. */
class Untold extends Error {}

/** A part of a pull request was found, and not all of it. */
const PARTIAL = "Only a part of the pull request was found.";
const TOO_FAR = "The history is too long to look through.";
const TOO_LARGE = "A file of this change is too large to compare, or is no text, and others change it too.";
const NO_COMMIT = "The repository does not have a commit of this change (yet).";
const NOT_DEPLOYED = "The repository does not have the commit that was deployed (yet).";

const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");

/** A commit of a first-parent line, with the paths that it changes there. */
type Place = { commit: string; isMerge: boolean; paths: readonly string[] };

/** Reads a mirror for one question; what was read once is remembered. */
class History {
  readonly #mirror: Mirror;
  readonly #signal: AbortSignal;
  /** Where git writes what trials make, so that a mirror has only what was fetched. */
  readonly #scratch: string;
  readonly #room: Scratch;
  readonly #known = new Map<string, Promise<unknown>>();

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

  /** The output and exit code of a call. Codes other than 0 and those that are allowed mean that git cannot tell. */
  async run(args: readonly string[], more: Partial<GitCall> = {}, allowed: readonly number[] = []) {
    const { folder } = this.#mirror;
    const env = {
      GIT_OBJECT_DIRECTORY: this.#scratch,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(folder, "objects"),
    };
    const ended = await runGit({ ...this.#mirror, args, signal: this.#signal, env, ...more });
    if (ended.state !== "ended") throw new Untold(UNTOLD[ended.state]);
    // Some versions say no, with a complaint, where a commit in between is missing.
    const isAnswer = ended.code === 0 || (allowed.includes(ended.code) && ended.stderr === "");
    if (!isAnswer) throw new Untold("git could not read the history");
    return ended;
  }

  isAncestor(sha: string, of: string): Promise<boolean> {
    return this.once(`ancestor ${sha} ${of}`, async () => {
      const { code } = await this.run(["merge-base", "--is-ancestor", sha, of], {}, [1]);
      return code === 0;
    });
  }

  has(shas: readonly string[]): Promise<boolean> {
    return this.once(`has ${shas.join()}`, async () => {
      const input = `${shas.join("\n")}\n`;
      const { stdout } = await this.run(["cat-file", "--batch-check"], { input });
      return lines(stdout).every((line) => / commit \d+$/.test(line));
    });
  }

  treeOf(sha: string): Promise<string> {
    return this.once(`tree ${sha}`, async () =>
      (await this.run(["rev-parse", `${sha}^{tree}`])).stdout.trim(),
    );
  }

  /** Where two histories parted; null where they have nothing in common. */
  baseOf(a: string, b: string): Promise<string | null> {
    return this.once(`base ${a} ${b}`, async () => {
      const { stdout } = await this.run(["merge-base", a, b], {}, [1]);
      return stdout.trim() || null;
    });
  }

  /** The paths that change from one commit to another. */
  pathsBetween(from: string, to: string): Promise<string[]> {
    return this.once(`paths ${from} ${to}`, async () => {
      const args = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", from, to];
      return (await this.run(args)).stdout.split("\0").filter((path) => path !== "");
    });
  }

  /** The first-parent line after one commit up to another, oldest first. */
  firstParents(after: string, to: string): Promise<Place[]> {
    return this.once(`line ${after} ${to}`, async () => {
      const options = ["--first-parent", "--diff-merges=first-parent", "--no-renames", "--name-only", "-z"];
      const most = `--max-count=${MOST_COMMITS + 1}`;
      const { stdout } = await this.run(["log", "--format=%x01%H %P", most, ...options, `${after}..${to}`]);
      const records = stdout.split("\u0001").slice(1);
      const newestFirst = records.map((record): Place => {
        const [named = "", ...paths] = record.split("\0").map((text) => text.replace(/^\n/, ""));
        const [commit = "", ...parents] = named.trim().split(" ");
        return { commit, isMerge: parents.length > 1, paths: paths.filter((path) => path !== "") };
      });
      return newestFirst.toReversed();
    });
  }

  /** The tree of merging one commit into another; null where they conflict. */
  async mergedTree(into: string, other: string): Promise<string | null> {
    if (!(await this.#room.hasRoom())) throw new Untold(UNTOLD.no_room);
    const args = ["merge-tree", "--write-tree", "--no-messages", into, other];
    const { code, stdout } = await this.run(args, {}, [1]);
    return code === 0 ? (lines(stdout)[0] ?? null) : null;
  }

  /** The tree of doing once more, after a commit, what another one does to its parent; null where that conflicts. */
  async pickedTree(after: string, sha: string): Promise<string | null> {
    const like = async (of: string, parent: string[]): Promise<string> => {
      const author = ["-c", "user.name=Tidings", "-c", "user.email=tidings@localhost"];
      const args = [...author, "commit-tree", ...parent, "-m", "Trial", await this.treeOf(of)];
      return (await this.run(args)).stdout.trim();
    };
    const base = await like(`${sha}^`, []);
    return this.mergedTree(await like(after, ["-p", base]), await like(sha, ["-p", base]));
  }

  /** The commits that say "This reverts commit" in the history of a commit, by the one that they revert. */
  revertsIn(of: string): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.once(`reverts ${of}`, async () => {
      const args = ["log", "--format=%H%n%B%x00", "--fixed-strings", "--grep=This reverts commit ", of];
      const { stdout } = await this.run(args);
      const found = new Map<string, string[]>();
      for (const record of stdout.split("\0")) {
        const [by = ""] = lines(record);
        for (const [, reverted = ""] of record.matchAll(/This reverts commit ([0-9a-f]{40})\b/g))
          found.set(reverted, [...(found.get(reverted) ?? []), by]);
      }
      return found;
    });
  }

  /** The merges in the history of `of` that brought a commit to where they merged it. */
  mergesOf(sha: string, of: string, among: ReadonlySet<string>): Promise<string[]> {
    return this.once(`merges ${sha} ${of}`, async () => {
      const args = ["rev-list", "--merges", "--ancestry-path", `${sha}..${of}`];
      const merges = lines((await this.run(args)).stdout).filter((merge) => among.has(merge));
      const brought: string[] = [];
      for (const merge of merges) if (!(await this.isAncestor(sha, `${merge}^1`))) brought.push(merge);
      return brought;
    });
  }

  /** Patch ids of commits that a `git log` lists with their patches; merges and empty commits have none. */
  async patchIds(args: readonly string[]): Promise<[commit: string, patch: string][]> {
    const options = [
      "-p",
      "--no-merges",
      "--no-renames",
      "--no-ext-diff",
      "--no-textconv",
      "--no-color",
      "--full-index",
    ];
    const log = ["log", "--format=commit %H", ...options, ...args];
    const { stdout } = await this.run(log, { maxBytes: MOST_PATCH_BYTES });
    const { stdout: ids } = await this.run(["patch-id", "--stable"], { input: stdout });
    return lines(ids).map((line) => {
      const [patch = "", commit = ""] = line.split(" ");
      return [commit, patch];
    });
  }
}

/** Whether a commit, or a merge that brought it, was taken back by a commit that was not taken back itself. */
async function isTakenBack(
  history: History,
  sha: string,
  of: string,
  parts: ReadonlySet<string>,
): Promise<boolean> {
  const reverts = await history.revertsIn(of);
  if (reverts.size === 0) return false;
  const merges = await history.mergesOf(sha, of, new Set(reverts.keys()));
  // A pull request that takes back something of its own is as it was merged.
  for (const name of [sha, ...merges])
    for (const by of reverts.get(name) ?? [])
      if (!parts.has(by) && !(await isTakenBack(history, by, of, parts))) return true;
  return false;
}

/** What was found of a change in the history of a commit. */
type Finding = { state: "present" | "absent" | "reverted"; representation: readonly string[] };

/** Judges one way in which a change may be in a history: there unless one of its commits was taken back. */
async function judgeParts(history: History, parts: readonly string[], of: string): Promise<Finding> {
  const own = new Set(parts);
  for (const part of parts)
    if (await isTakenBack(history, part, of, own)) return { state: "reverted", representation: parts };
  return { state: "present", representation: parts };
}

/** The commit of a pull request that all of its others lead to; the last one where there is none. */
async function headOf(history: History, shas: readonly string[]): Promise<string> {
  const last = shas.at(-1) ?? "";
  if (shas.length === 1) return last;
  return history.once(`head ${shas.join()}`, async () => {
    const { stdout } = await history.run(["merge-base", "--independent", ...shas]);
    const [head, another] = lines(stdout);
    return head !== undefined && another === undefined ? head : last;
  });
}

const range = (from: string | null, to: string): string => (from === null ? to : `${from}..${to}`);

/** The commits of a pull request that are not merges, with their patches; an empty commit has none. */
const ownPatches = (history: History, shas: readonly string[]) =>
  history.once(`own ${shas.join()}`, () => history.patchIds(["--no-walk=unsorted", ...shas]));

/** The paths that a pull request changes. */
const ownPaths = (history: History, shas: readonly string[]): Promise<ReadonlySet<string>> =>
  history.once(`own paths ${shas.join()}`, async () => {
    const paths = new Set<string>();
    for (const [sha] of await ownPatches(history, shas))
      for (const path of await history.pathsBetween(`${sha}^`, sha)) paths.add(path);
    return paths;
  });

type Found = { finding: Finding | null; isPartial: boolean };

/** Commits with the same patch as one of these, after where both histories parted. */
async function samePatches(history: History, shas: readonly string[], head: string, of: string) {
  const base = await history.baseOf(head, of);
  const paths = [...(await ownPaths(history, shas))].map(literal);
  const args = [`--max-count=${MOST_COMMITS}`, "--full-history", "--full-diff", range(base, of)];
  if (paths.length <= MOST_PATHS) args.push("--", ...paths);
  const others = await history.patchIds(args);
  if (others.length >= MOST_COMMITS) throw new Untold(TOO_FAR);
  return Map.groupBy(others, ([, patch]) => patch);
}

/**
 * Commits of a first-parent line that do what one commit does, though the lines nearby are others: those whose tree is what doing it once
 * more would have made.
 */
async function pickedAs(history: History, sha: string, of: string, trials: Trials): Promise<string[]> {
  const base = await history.baseOf(sha, of);
  if (base === null || base === sha) return [];
  const own = new Set(await history.pathsBetween(`${sha}^`, sha));
  const found: string[] = [];
  let before = base;
  for (const { commit, isMerge, paths } of await history.firstParents(base, of)) {
    if (!isMerge && paths.length === own.size && paths.every((path) => own.has(path))) {
      trials.count();
      if ((await history.pickedTree(before, sha)) === (await history.treeOf(commit))) found.push(commit);
    }
    before = commit;
  }
  return found;
}

/** How many merges were tried for one pull request. */
class Trials {
  #tried = 0;

  count(): void {
    if (++this.#tried > MOST_TRIALS) throw new Untold(TOO_FAR);
  }
}

/**
 * Looks for each commit of a pull request: itself, or another one with the same patch; with `trials` also one that does the same where
 * lines nearby have moved.
 */
async function findEach(
  history: History,
  shas: readonly string[],
  head: string,
  of: string,
  trials: Trials | null,
): Promise<Found> {
  const own = new Map(await ownPatches(history, shas));
  if (own.size === 0) return { finding: null, isPartial: false };
  const byPatch = await history.once(`same ${shas.join()} ${of}`, () => samePatches(history, shas, head, of));
  const parts: string[] = [];
  let found = 0;
  let isReverted = false;
  for (const [sha, patch] of own) {
    const candidates = (byPatch.get(patch) ?? []).map(([commit]) => commit);
    if (await history.isAncestor(sha, of)) candidates.push(sha);
    if (candidates.length === 0 && trials !== null)
      candidates.push(...(await pickedAs(history, sha, of, trials)));
    const findings: Finding[] = [];
    for (const commit of new Set(candidates)) findings.push(await judgeParts(history, [commit], of));
    const best = findings.find(({ state }) => state === "present") ?? findings[0];
    if (best === undefined) continue;
    found++;
    parts.push(...best.representation);
    if (best.state === "reverted") isReverted = true;
  }
  if (found < own.size) return { finding: null, isPartial: found > 0 };
  return { finding: { state: isReverted ? "reverted" : "present", representation: parts }, isPartial: false };
}

/** A path as itself, whatever characters it has. */
const literal = (path: string): string => `:(literal,top)${path}`;

/**
 * Looks for commits of a first-parent line that together are what merging the pull request before them would have made. This finds what
 * was squashed or rebased where lines nearby had moved, so that the patches differ.
 */
async function findMerged(
  history: History,
  shas: readonly string[],
  head: string,
  of: string,
  trials: Trials,
): Promise<Finding | null> {
  const base = await history.baseOf(head, of);
  // Where the head is in the history already, merging it again would change nothing.
  if (base === null || base === head) return null;
  const own = await ownPaths(history, shas);
  const line: Place[] = [
    { commit: base, isMerge: false, paths: [] },
    ...(await history.firstParents(base, of)),
  ];
  if (line.length > MOST_COMMITS) throw new Untold(TOO_FAR);
  const isOwn = (place: Place | undefined): boolean =>
    place !== undefined && !place.isMerge && place.paths.every((path) => own.has(path));
  let reverted: Finding | null = null;
  for (let at = 1; at < line.length; at++) {
    const commit = line[at]?.commit ?? "";
    // The longest run of commits up to this one that change nothing but what the pull request changes. A revert could name a commit
    // behind a merge, so a merge ends the run.
    let longest = 0;
    while (longest < Math.min(shas.length, at) && isOwn(line[at - longest])) longest++;
    for (let count = longest; count >= 1; count--) {
      const before = line[at - count]?.commit ?? "";
      const tree = await history.treeOf(commit);
      if (tree === (await history.treeOf(before))) continue;
      trials.count();
      if ((await history.mergedTree(before, head)) !== tree) continue;
      const parts = line.slice(at - count + 1, at + 1).map((each) => each.commit);
      const finding = await judgeParts(history, parts, of);
      if (finding.state === "present") return finding;
      reverted = finding;
      break;
    }
  }
  return reverted;
}

/** Whether a pull request that was not found may be there all the same. See `mayHide`. */
async function mayStandBeside(history: History, shas: readonly string[], head: string, of: string) {
  const base = await history.baseOf(head, of);
  if (base === null) return false;
  const line = new Set((await history.firstParents(base, of)).map(({ commit }) => commit));
  return mayHide(history, shas, { range: range(base, of), line });
}

/** Looks for a pull request in the history of a commit, by the first proof that stands. */
async function findPullRequest(
  history: History,
  { shas, mergeCommit }: Extract<Change, { kind: "pull_request" }>,
  of: string,
): Promise<Finding> {
  let reverted: Finding | null = null;
  const note = (finding: Finding | null): boolean => {
    if (finding?.state === "reverted") reverted ??= finding;
    return finding?.state === "present";
  };
  const inside: string[] = [];
  for (const sha of shas) if (await history.isAncestor(sha, of)) inside.push(sha);
  if (inside.length === shas.length) {
    const finding = await judgeParts(history, shas, of);
    if (note(finding)) return finding;
  }
  const head = await headOf(history, shas);
  const trials = new Trials();
  const { finding: patched } = await findEach(history, shas, head, of, null);
  if (patched !== null && note(patched)) return patched;
  const merged = await findMerged(history, shas, head, of, trials);
  if (merged !== null && note(merged)) return merged;
  const { finding: picked, isPartial } = await findEach(history, shas, head, of, trials);
  if (picked !== null && note(picked)) return picked;
  if (
    mergeCommit !== null &&
    (await history.has([mergeCommit])) &&
    (await history.isAncestor(mergeCommit, of))
  ) {
    const finding = await judgeParts(history, [mergeCommit], of);
    if (note(finding)) return finding;
  }
  if (reverted !== null) return reverted;
  if (isPartial || inside.length > 0) throw new Untold(PARTIAL);
  if (await mayStandBeside(history, shas, head, of)) throw new Untold(TOO_LARGE);
  return { state: "absent", representation: [] };
}

/** Looks for a change in the history of a commit. */
async function find(history: History, change: Change, of: string): Promise<Finding> {
  if (change.kind === "pull_request") return findPullRequest(history, change, of);
  if (!(await history.isAncestor(change.sha, of))) return { state: "absent", representation: [] };
  return judgeParts(history, [change.sha], of);
}

const shasOf = (change: Change): readonly string[] => (change.kind === "commit" ? [change.sha] : change.shas);

/** Whether a change is on the branch, whatever became of it there; null where git cannot tell. */
async function isOnBranch(
  history: History,
  change: Change,
  branchTip: string | null,
): Promise<boolean | null> {
  if (branchTip === null) return null;
  try {
    return (await find(history, change, branchTip)).state !== "absent";
  } catch (error) {
    if (error instanceof Untold) return null;
    throw error;
  }
}

async function judge(history: History, change: Change, { branchTip, deployed }: Question): Promise<Verdict> {
  const nothing = { onBranch: null, representation: [] };
  try {
    if (!(await history.has(shasOf(change)))) {
      if (deployed === null) return { state: "pending", ...nothing, reason: NO_COMMIT };
      return { state: "unknown", ...nothing, reason: NO_COMMIT };
    }
    if (deployed === null) {
      const onBranch = await isOnBranch(history, change, branchTip);
      return { state: "pending", onBranch, representation: [], reason: null };
    }
    if (!(await history.has([deployed]))) return { state: "unknown", ...nothing, reason: NOT_DEPLOYED };
    const { state, representation } = await find(history, change, deployed);
    const onBranch = state === "absent" ? await isOnBranch(history, change, branchTip) : null;
    return { state, onBranch, representation, reason: null };
  } catch (error) {
    if (error instanceof Untold) return { state: "unknown", ...nothing, reason: error.message };
    throw error;
  }
}

/**
 * Whether changes are in what was deployed: a pure function of the commits in the mirror. A commit is there as an ancestor. A pull request is
 * there by the first of these proofs: its commits are ancestors; commits with the same patches are (`git patch-id --stable`); commits of the
 * first-parent line are what merging it, or doing what each of its commits does, would have made; the merge commit of the host is an ancestor. What a later commit takes back with
 * "This reverts commit" and the whole SHA, of a part or of a merge that brought it, is reverted, unless that commit was taken back too.
 */
export async function judgeChanges(mirror: Mirror, question: Question): Promise<readonly Verdict[]> {
  const scratch = await mkdtemp(join(tmpdir(), "tidings-trial-"));
  try {
    const history = new History(mirror, scratch, question.signal);
    const verdicts: Verdict[] = [];
    for (const change of question.changes) verdicts.push(await judge(history, change, question));
    return verdicts;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
