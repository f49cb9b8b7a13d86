import {
  areFew,
  asInput,
  type CommitChanges,
  type History,
  linesIn,
  literal,
  MOST_COMMITS,
  TOO_FAR,
  Untold,
} from "./history.ts";
import { mayHide } from "./large.ts";
import { isTakenBack, type Where } from "./taken-back.ts";

/** A pull request. `mergeCommit`: the commit with which the host says that it was merged. */
export type PullRequest = {
  kind: "pull_request";
  number: number;
  shas: readonly string[];
  mergeCommit: string | null;
};

/** The most merges that are tried for one pull request, in each of two ways. */
const MOST_TRIALS = 400;
/** The most commits with the same patch that are judged for one commit. */
const MOST_CANDIDATES = 50;

/** A part of a pull request was found, and not all of it. */
const PARTIAL = "Only a part of the pull request was found.";
const TOO_LARGE = "A file of this change is too large to compare, or is no text, and others change it too.";

/** What was found of a change in the history of a commit. */
export type HistoryFinding = { state: "present" | "absent" | "reverted"; representation: readonly string[] };

/** Where a pull request is looked for: all that the ways to find it need. */
type Look = { history: History; pull: PullRequest; tip: string };

/** Judges one way in which a change may be in a history: there unless one of its commits was taken back. */
export async function judgeParts(
  history: History,
  parts: readonly string[],
  where: Where,
  own: ReadonlySet<string> = new Set(parts),
): Promise<HistoryFinding> {
  const isGone = await isTakenBack(history, parts, where, own);
  return { state: isGone ? "reverted" : "present", representation: parts };
}

const judgeOf = (
  { history, pull, tip }: Look,
  parts: readonly string[],
  own?: ReadonlySet<string>,
): Promise<HistoryFinding> =>
  judgeParts(history, parts, { tip, number: pull.number > 0 ? pull.number : null }, own);

/** The commit of a pull request that all of its others lead to; the last one where there is none. */
async function headOf({ history, pull: { shas } }: Look): Promise<string> {
  const last = shas.at(-1) ?? "";
  if (shas.length === 1) return last;
  return history.once(`head ${shas.join()}`, async () => {
    const { stdout } = await history.run(["merge-base", "--independent", ...shas]);
    const [head, another] = linesIn(stdout);
    return head !== undefined && another === undefined ? head : last;
  });
}

const range = (from: string | null, to: string): string => (from === null ? to : `${from}..${to}`);

/** The commits of a pull request that are not merges, with their patches; an empty commit has none. */
const ownPatches = ({ history, pull: { shas } }: Look) =>
  history.once(`own ${shas.join()}`, () => history.patchIds(["--no-walk=unsorted", ...shas]));

/** The paths that a pull request changes. */
const ownPaths = (look: Look): Promise<ReadonlySet<string>> =>
  look.history.once(`own paths ${look.pull.shas.join()}`, async () => {
    const own = (await ownPatches(look)).map(([sha]) => sha);
    return new Set((await look.history.filesOf(own)).flatMap((files) => files.map(({ path }) => path)));
  });

/** The first 5,000 commits that a `rev-list` lists, oldest first, of those that change some paths; and whether there are more. */
async function oldestOf(history: History, args: readonly string[], paths: ReadonlySet<string>) {
  const only = areFew([...paths]) ? ["--", ...[...paths].map(literal)] : [];
  const { stdout } = await history.run(["rev-list", "--reverse", ...args, ...only]);
  const all = linesIn(stdout);
  return { shas: all.slice(0, MOST_COMMITS), isCut: all.length > MOST_COMMITS };
}

/** Commits with the same patch as one of these, after where both histories parted. */
async function samePatches(look: Look, head: string) {
  const { history, tip } = look;
  const base = await history.baseOf(head, tip);
  const args = ["--no-merges", "--full-history", range(base, tip)];
  const { shas, isCut } = await oldestOf(history, args, await ownPaths(look));
  const others =
    shas.length === 0 ? [] : await history.patchIds(["--no-walk=unsorted", "--stdin"], asInput(shas));
  // What came last says most about what there is now.
  return { byPatch: Map.groupBy(others.toReversed(), ([, patch]) => patch), isCut };
}

/** The commits of the first-parent line after a commit that change some paths, oldest first; and whether there are more. */
const lineOf = ({ history, tip }: Look, base: string, paths: ReadonlySet<string>) =>
  history.once(`line ${base} ${tip} ${[...paths].join("\0")}`, async () => {
    const { shas, isCut } = await oldestOf(history, ["--first-parent", `${base}..${tip}`], paths);
    if (shas.length === 0) return { line: [], isCut };
    const places = await history.places(["--no-walk=unsorted", "--stdin"], asInput(shas));
    return { line: places, isCut };
  });

const isMerge = ({ parents }: CommitChanges): boolean => parents.length > 1;

/** How many merges were tried for one pull request in one way. */
class Trials {
  #tried = 0;

  count(): void {
    if (++this.#tried > MOST_TRIALS) throw new Untold(TOO_FAR);
  }
}

/**
 * Commits of a first-parent line that do what one commit does, though the lines nearby are others: those whose tree is what doing it once
 * more would have made.
 */
async function pickedAs(look: Look, sha: string, trials: Trials): Promise<string[]> {
  const { history, tip } = look;
  const base = await history.baseOf(sha, tip);
  if (base === null || base === sha) return [];
  const [files = []] = await history.filesOf([sha]);
  const own = new Set(files.map(({ path }) => path));
  const { line, isCut } = await lineOf(look, base, own);
  const places = line.filter(
    (place) =>
      !isMerge(place) && place.files.length === own.size && place.files.every(({ path }) => own.has(path)),
  );
  // What they were made from, with one call.
  await history.facts(places.slice(0, MOST_TRIALS).flatMap(({ parents }) => parents));
  const [from, until] = [await history.treeBefore(sha), await history.treeOf(sha)];
  const found: string[] = [];
  for (const { commit, tree, parents } of places) {
    trials.count();
    const before = parents[0];
    if (
      before !== undefined &&
      (await history.appliedTree(await history.treeOf(before), from, until)) === tree
    )
      found.push(commit);
  }
  if (found.length === 0 && isCut) throw new Untold(TOO_FAR);
  return found;
}

/** What was found of the commits of a pull request, each by itself. `isPartial`: some, and not all. */
type Found = { finding: HistoryFinding | null; isPartial: boolean };

/** The first of some commits, one at least, that stands; else the first of all. */
async function bestOf(
  look: Look,
  candidates: ReadonlySet<string>,
  own: ReadonlySet<string>,
): Promise<HistoryFinding> {
  const some = [...candidates].slice(0, MOST_CANDIDATES);
  for (const commit of some) {
    const finding = await judgeOf(look, [commit], own);
    if (finding.state === "present") return finding;
  }
  if (candidates.size > MOST_CANDIDATES) throw new Untold(TOO_FAR);
  return { state: "reverted", representation: some.slice(0, 1) };
}

/**
 * Looks for each commit of a pull request: itself, or another one with the same patch; with `trials` also one that does the same where
 * lines nearby have moved.
 */
async function findEach(look: Look, head: string, trials: Trials | null): Promise<Found> {
  const { history, pull, tip } = look;
  const own = new Map(await ownPatches(look));
  if (own.size === 0) return { finding: null, isPartial: false };
  const { byPatch, isCut } = await history.once(`same ${pull.shas.join()} ${tip}`, () =>
    samePatches(look, head),
  );
  const candidatesOf: ReadonlySet<string>[] = [];
  for (const [sha, patch] of own) {
    const candidates = new Set((byPatch.get(patch) ?? []).map(([commit]) => commit));
    if (await history.isAncestor(sha, tip)) candidates.add(sha);
    if (candidates.size === 0 && trials !== null)
      for (const commit of await pickedAs(look, sha, trials)) candidates.add(commit);
    if (candidates.size > 0) candidatesOf.push(candidates);
  }
  if (candidatesOf.length < own.size) {
    if (isCut) throw new Untold(TOO_FAR);
    return { finding: null, isPartial: candidatesOf.length > 0 };
  }
  const all = new Set(candidatesOf.flatMap((candidates) => [...candidates]));
  const best: HistoryFinding[] = [];
  for (const candidates of candidatesOf) best.push(await bestOf(look, candidates, all));
  const parts = best.flatMap(({ representation }) => representation);
  const isReverted = best.some(({ state }) => state === "reverted");
  // All of them may have been taken back by one commit.
  const finding: HistoryFinding = isReverted
    ? { state: "reverted", representation: parts }
    : await judgeOf(look, parts);
  return { finding, isPartial: false };
}

/**
 * Looks for commits of a first-parent line that together are what merging the pull request before them would have made. This finds what
 * was squashed or rebased where lines nearby had moved, so that the patches differ. It begins where the pull request parted from the line,
 * since that is where most are merged.
 */
async function findMerged(look: Look, head: string): Promise<HistoryFinding | null> {
  const { history, pull, tip } = look;
  const base = await history.baseOf(head, tip);
  // Where the head is in the history already, merging it again would change nothing.
  if (base === null || base === head) return null;
  const own = await ownPaths(look);
  const { line, isCut } = await lineOf(look, base, own);
  const trials = new Trials();
  const isOwn = (place: CommitChanges): boolean =>
    !isMerge(place) && place.files.every(({ path }) => own.has(path));
  let reverted: HistoryFinding | null = null;
  // The longest run of commits up to one that change nothing but what the pull request changes. A revert could name a commit behind a
  // merge, so a merge ends the run.
  let run: CommitChanges[] = [];
  for (const place of line) {
    const isNext = place.parents[0] === run.at(-1)?.commit;
    run = isOwn(place) ? [...(isNext ? run : []), place].slice(-pull.shas.length) : [];
    for (let count = run.length; count >= 1; count--) {
      const parts = run.slice(-count);
      const before = parts[0]?.parents[0];
      if (before === undefined || (count > 1 && place.tree === (await history.treeOf(before)))) continue;
      trials.count();
      if ((await history.mergedTree(before, head)) !== place.tree) continue;
      const finding = await judgeOf(
        look,
        parts.map(({ commit }) => commit),
      );
      if (finding.state === "present") return finding;
      reverted = finding;
      break;
    }
  }
  if (reverted === null && isCut) throw new Untold(TOO_FAR);
  return reverted;
}

/** The commits as which a host merged a pull request: all of its commits where they were rebased, else the one that the host names. */
async function mergedAs({ history, pull: { shas } }: Look, mergeCommit: string): Promise<string[]> {
  const isPlain = ({ parents }: { parents: readonly string[] }): boolean => parents.length <= 1;
  const own = (await history.facts(shas)).filter(isPlain);
  if (own.length <= 1 || !isPlain(await history.fact(mergeCommit))) return [mergeCommit];
  const most = `--max-count=${own.length}`;
  const { stdout } = await history.run(["rev-list", "--first-parent", "--reverse", most, mergeCommit]);
  const line = await history.facts(linesIn(stdout));
  const isRebased =
    line.length === own.length &&
    line.every(({ message }, index) => message.trim() === own[index]?.message.trim());
  return isRebased ? line.map(({ sha }) => sha) : [mergeCommit];
}

async function findByHost(look: Look): Promise<HistoryFinding | null> {
  const { history, pull, tip } = look;
  const { mergeCommit } = pull;
  if (mergeCommit === null || !(await history.has([mergeCommit]))) return null;
  if (!(await history.isAncestor(mergeCommit, tip))) return null;
  return judgeOf(look, await mergedAs(look, mergeCommit));
}

async function areAllIn(history: History, shas: readonly string[], tip: string): Promise<boolean> {
  for (const sha of shas) if (!(await history.isAncestor(sha, tip))) return false;
  return true;
}

async function isOneIn(history: History, shas: readonly string[], tip: string): Promise<boolean> {
  for (const sha of shas) if (await history.isAncestor(sha, tip)) return true;
  return false;
}

/** Whether a pull request that was not found may be there all the same. See `mayHide`. */
async function mayStandBeside(look: Look): Promise<boolean> {
  const { history, pull, tip } = look;
  const base = await history.baseOf(await headOf(look), tip);
  if (base === null) return false;
  const range = `${base}..${tip}`;
  const { stdout } = await history.run(["rev-list", "--first-parent", range]);
  return mayHide(history, pull.shas, { range, line: new Set(linesIn(stdout)) });
}

/**
 * Looks for a pull request in the history of a commit, by the first proof that stands, the certain and cheap ones first. Where one of them
 * reaches a limit the others are tried all the same; it is unknown only where none of them tells.
 */
export async function findPullRequest(
  history: History,
  pull: PullRequest,
  tip: string,
): Promise<HistoryFinding> {
  const look = { history, pull, tip };
  const { shas } = pull;
  let isPartial = false;
  const each = async (trials: Trials | null): Promise<HistoryFinding | null> => {
    const found = await findEach(look, await headOf(look), trials);
    isPartial ||= found.isPartial;
    return found.finding;
  };
  const proofs = [
    async () => ((await areAllIn(history, shas, tip)) ? judgeOf(look, shas) : null),
    () => findByHost(look),
    () => each(null),
    async () => findMerged(look, await headOf(look)),
    () => each(new Trials()),
  ];
  let reverted: HistoryFinding | null = null;
  let untold: Untold | null = null;
  for (const proof of proofs)
    try {
      const finding = await proof();
      if (finding?.state === "present") return finding;
      reverted ??= finding;
    } catch (error) {
      if (!(error instanceof Untold)) throw error;
      untold ??= error;
    }
  if (reverted !== null) return reverted;
  if (untold !== null) throw untold;
  if (isPartial || (await isOneIn(history, shas, tip))) throw new Untold(PARTIAL);
  if (await mayStandBeside(look)) throw new Untold(TOO_LARGE);
  return { state: "absent", representation: [] };
}
