import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mirror } from "../mirror.ts";
import { History, Untold } from "./history.ts";
import { findPullRequest, type HistoryFinding, judgeParts, type PullRequest } from "./pulls.ts";

/** A change of code. */
export type CodeChange = { kind: "commit"; sha: string } | PullRequest;

/** Whether a change is in what was deployed. */
export type GitProof = {
  /** `pending`: nothing was deployed. `unknown`: the objects are missing, only a part was found, or a limit was reached. */
  state: "present" | "absent" | "reverted" | "pending" | "unknown";
  /** Whether it is on the branch; null where that is not known, or does not matter. */
  onBranch: boolean | null;
  /** The commits that are the change. */
  representation: readonly string[];
  reason: string | null;
};

/** What is asked about changes: `deployed` and `branchTip` are commits; null where there is none. */
export type ProofRequest = {
  changes: readonly CodeChange[];
  branchTip: string | null;
  deployed: string | null;
  signal: AbortSignal;
};

const NO_COMMIT = "The repository does not have a commit of this change (yet).";
const NOT_DEPLOYED = "The repository does not have the commit that was deployed (yet).";

/** Looks for a change in the history of a commit. */
async function find(history: History, change: CodeChange, tip: string): Promise<HistoryFinding> {
  if (change.kind === "pull_request") return findPullRequest(history, change, tip);
  if (!(await history.isAncestor(change.sha, tip))) return { state: "absent", representation: [] };
  return judgeParts(history, [change.sha], { tip, number: null });
}

const shasOf = (change: CodeChange): readonly string[] =>
  change.kind === "commit" ? [change.sha] : change.shas;

/** Whether a change is on the branch, whatever became of it there; null where git cannot tell. */
async function isOnBranch(
  history: History,
  change: CodeChange,
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

async function judge(
  history: History,
  change: CodeChange,
  { branchTip, deployed }: ProofRequest,
): Promise<GitProof> {
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

/** Reads a mirror for one question, with a folder for what git writes meanwhile, which is removed with it. */
export async function withHistory<T>(
  mirror: Mirror,
  signal: AbortSignal,
  use: (history: History) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), "tidings-trial-"));
  try {
    return await use(new History(mirror, scratch, signal));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Reads the commits of a question with as few calls as can be. What cannot be read so is read, or found unreadable, one by one. */
async function readAhead(history: History, { changes, deployed }: ProofRequest): Promise<void> {
  try {
    const known = await history.facts([...changes.flatMap(shasOf), ...(deployed === null ? [] : [deployed])]);
    await history.filesOf(known.map(({ sha }) => sha));
    const paths = (
      await history.filesOf(changes.flatMap((each) => (each.kind === "commit" ? [each.sha] : [])))
    ).flat();
    if (deployed !== null)
      await history.blobsAt(
        deployed,
        paths.map(({ path }) => path),
      );
  } catch (error) {
    if (!(error instanceof Untold)) throw error;
  }
}

/**
 * Whether changes are in what was deployed: a pure function of the commits in the mirror. A commit is there as an ancestor. A pull request is
 * there by the first of these proofs: its commits are ancestors; the merge commit of the host is; commits with the same patches are
 * (`git patch-id --stable`); commits of the first-parent line are what merging it, or doing what each of its commits does, would have made.
 * What a later commit takes back is reverted, unless that commit was taken back too: by what it says, or by doing the reverse.
 */
export async function judgeChanges(mirror: Mirror, question: ProofRequest): Promise<readonly GitProof[]> {
  return withHistory(mirror, question.signal, async (history) => {
    await readAhead(history, question);
    const verdicts: GitProof[] = [];
    for (const change of question.changes) verdicts.push(await judge(history, change, question));
    return verdicts;
  });
}
