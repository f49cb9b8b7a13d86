import { beginningOf } from "@tidings/client/text";
import { withoutMark } from "../../../platform/text/byte-order-mark.ts";
import { askGit, splitLines } from "./ask.ts";
import { type ChangedFile, readFiles } from "./files.ts";
import type { Mirror } from "./mirror.ts";
import { MOST_PATCH_BYTES as MOST_PATCHES_BYTES } from "./running/run.ts";

/** A commit. `message` is whole, without the line end behind it. */
export type Commit = { sha: string; message: string; isMerge: boolean };

/** Commits of a ref that are looked at together. */
export type CommitWindow = {
  /** The commit with which `toSha` is compared: where the two histories parted. */
  beforeSha: string;
  /** The last commit. */
  toSha: string;
  /** What came after `beforeSha`, parents before children. */
  commits: readonly Commit[];
  /** Whether the ref has left the commit from which it is read on: it was moved back, or rewritten. */
  isForced: boolean;
  files: readonly ChangedFile[];
};

/** What a window has at most, unless one commit of the first-parent line alone has more. */
const MOST_COMMITS = 200;
const MOST_FILES = 300;
const MOST_PATCH_BYTES = 2 * 1_024 * 1_024;
/** Characters of a message. */
const MOST_MESSAGE = 8_000;

/** Commits up to one that are neither in the history of another, nor in that of `outside`: the branch of a pull request. */
type Range = { from: string; to: string; outside: string | null };

const revisions = ({ from, to, outside }: Range): string[] => [
  `${from}..${to}`,
  ...(outside === null ? [] : [`^${outside}`]),
];

async function countCommits(mirror: Mirror, range: Range, signal: AbortSignal): Promise<number> {
  const counted = await askGit(mirror, ["rev-list", "--count", ...revisions(range)], { signal });
  return counted === null ? Number.NaN : Number(counted.stdout);
}

/** The last of a line of commits up to which there are at most 200; the first one where it brings more alone. */
async function lastWithin(
  mirror: Mirror,
  range: Range,
  line: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  let [low, high] = [0, Math.min(line.length, MOST_COMMITS) - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const commits = await countCommits(mirror, { ...range, to: line[middle] ?? "" }, signal);
    if (commits <= MOST_COMMITS) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The commits of a `git log`, whose merges are `isMerge` unless they stand for what they bring. */
async function logCommits(
  mirror: Mirror,
  which: readonly string[],
  signal: AbortSignal,
): Promise<Commit[] | null> {
  const read = await askGit(mirror, ["log", "-z", "--format=%H %P%n%B", ...which], { signal });
  if (read === null) return null;
  const records = read.stdout.split("\0").filter((record) => record !== "");
  return records.map((record): Commit => {
    const end = record.indexOf("\n");
    const [sha = "", ...parents] = record.slice(0, end).trim().split(" ");
    const message = beginningOf(record.slice(end + 1).trimEnd(), MOST_MESSAGE);
    return { sha, message, isMerge: parents.length > 1 };
  });
}

/** Some commits as they are, in the order of their SHAs here. Null where one of them is not in the mirror. */
export const readCommitsOf = async (
  mirror: Mirror,
  shas: readonly string[],
  signal: AbortSignal,
): Promise<Commit[] | null> =>
  shas.length === 0 ? [] : logCommits(mirror, ["--no-walk=unsorted", ...shas], signal);

/** The commits after one of them up to another; a merge that brings more than a window has stands for all of them. */
async function readCommits(mirror: Mirror, range: Range, signal: AbortSignal): Promise<Commit[] | null> {
  const count = await countCommits(mirror, range, signal);
  if (Number.isNaN(count)) return null;
  if (count <= MOST_COMMITS)
    return logCommits(mirror, ["--topo-order", "--reverse", ...revisions(range)], signal);
  const [merge] = (await logCommits(mirror, ["--max-count=1", range.to], signal)) ?? [];
  return merge === undefined ? null : [{ ...merge, isMerge: false }];
}

/** Where two histories parted; null where they have nothing in common, or git cannot tell. */
export async function mergeBase(
  mirror: Mirror,
  a: string,
  b: string,
  signal: AbortSignal,
): Promise<string | null> {
  const found = await askGit(mirror, ["merge-base", a, b], { signal, codes: [1] });
  return found?.stdout.trim() || null;
}

/** Whether a commit is another one, or before it; null where git cannot tell. */
export async function isAncestor(
  mirror: Mirror,
  sha: string,
  later: string,
  signal: AbortSignal,
): Promise<boolean | null> {
  const answer = await askGit(mirror, ["merge-base", "--is-ancestor", sha, later], { signal, codes: [1] });
  return answer && answer.code === 0;
}

const bytesOf = (files: readonly ChangedFile[]): number =>
  files.reduce((sum, { patch }) => sum + (patch === null ? 0 : Buffer.byteLength(patch)), 0);

/** Files within the bounds of a window: of more there is none, and patches beyond the bytes are left out. */
function cutFiles(files: readonly ChangedFile[]): ChangedFile[] {
  let left = MOST_PATCH_BYTES;
  return files.slice(0, MOST_FILES).map(({ path, patch }) => {
    left -= patch === null ? 0 : Buffer.byteLength(patch);
    return { path, patch: left < 0 ? null : patch };
  });
}

async function readUpTo(
  mirror: Mirror,
  range: Range,
  line: readonly string[],
  last: number,
  signal: AbortSignal,
): Promise<Pick<CommitWindow, "toSha" | "commits" | "files"> | null> {
  const toSha = line[last] ?? range.to;
  const files = await readFiles(mirror, range.from, toSha, signal, {
    files: MOST_FILES,
    bytes: MOST_PATCH_BYTES,
  });
  if (files === null) return null;
  const isTooMuch = files.length > MOST_FILES || bytesOf(files) > MOST_PATCH_BYTES;
  if (isTooMuch && last > 0) return readUpTo(mirror, range, line, Math.floor(last / 2), signal);
  const commits = await readCommits(mirror, { ...range, to: toSha }, signal);
  return commits === null ? null : { toSha, commits, files: cutFiles(files) };
}

/**
 * The first commits of a ref after one of them, with what they change: at most 200 commits, 300 files and 2 MB of patches, the rest is a later
 * window's. It ends on the first-parent line, so that the next one begins there. Commits of `outside` are not the ref's: those of the branch of
 * a pull request. Null where git cannot tell.
 */
export async function readCommitWindow(
  mirror: Mirror,
  { fromSha, headSha, outside }: { fromSha: string; headSha: string; outside: string | null },
  signal: AbortSignal,
): Promise<CommitWindow | null> {
  const found = await askGit(mirror, ["merge-base", fromSha, headSha], { signal, codes: [1] });
  if (found === null) return null;
  const base = found.stdout.trim();
  // A history that has nothing in common with what was there is another one: nothing of it is announced.
  if (base === "") return { beforeSha: headSha, toSha: headSha, commits: [], isForced: true, files: [] };
  const isForced = base !== fromSha;
  // What a pull request that was rewritten brings is compared with its branch as it is now.
  const parted = isForced && outside !== null ? await mergeBase(mirror, headSha, outside, signal) : null;
  const range = { from: parted ?? base, to: headSha, outside };
  const line = await askGit(mirror, ["rev-list", "--first-parent", "--reverse", ...revisions(range)], {
    signal,
  });
  if (line === null) return null;
  const firstParents = splitLines(line.stdout);
  const last = await lastWithin(mirror, range, firstParents, signal);
  const read = await readUpTo(mirror, range, firstParents, last, signal);
  return read && { ...read, beforeSha: range.from, isForced };
}

/** Patch ids of the commits of a range, by patch; none where there is too much. */
async function patchesOf(mirror: Mirror, range: Range, signal: AbortSignal) {
  const options = ["-p", "--no-merges", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
  const args = ["log", "--format=commit %H", "--full-index", ...options, ...revisions(range)];
  const log = await askGit(mirror, args, { signal, maxBytes: MOST_PATCHES_BYTES });
  const ids = log && (await askGit(mirror, ["patch-id", "--stable"], { input: log.stdout, signal }));
  return new Map(
    splitLines(ids?.stdout ?? "").map((line): [patch: string, commit: string] => {
      const [patch = "", commit = ""] = line.split(" ");
      return [patch, commit];
    }),
  );
}

/** What commits of a rewritten ref have become: the former commit by the new one with the same patch (`git patch-id --stable`). */
export async function findRewritten(
  mirror: Mirror,
  { fromSha, headSha, outside }: { fromSha: string; headSha: string; outside: string | null },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const former = await patchesOf(mirror, { from: headSha, to: fromSha, outside }, signal);
  if (former.size === 0) return new Map();
  const now = await patchesOf(mirror, { from: fromSha, to: headSha, outside }, signal);
  return new Map(
    [...now].flatMap(([patch, sha]): [string, string][] => {
      const was = former.get(patch);
      return was === undefined ? [] : [[sha, was]];
    }),
  );
}

/** Names of a file that says what a repository is about. */
const README = /^readme(\.(md|markdown|rst|txt))?$/i;
const MOST_README = 32_000;

/** The text of a repository's readme at a commit; null where there is none. */
export async function readReadme(mirror: Mirror, sha: string, signal: AbortSignal): Promise<string | null> {
  const listed = await askGit(mirror, ["ls-tree", "-z", sha], { signal });
  const entries = (listed?.stdout ?? "").split("\0").map((entry) => entry.split("\t"));
  const [about = ""] =
    entries.find(([kind = "", name = ""]) => kind.includes(" blob ") && README.test(name)) ?? [];
  const [, , blob] = about.split(" ");
  if (blob === undefined) return null;
  const read = await askGit(mirror, ["cat-file", "blob", blob], { signal, maxBytes: 1_024 * 1_024 });
  if (read === null || read.stdout.includes("\0")) return null;
  return beginningOf(withoutMark(read.stdout), MOST_README);
}
