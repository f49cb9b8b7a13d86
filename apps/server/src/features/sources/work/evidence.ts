import type { App } from "../../../platform/runtime.ts";
import {
  type CodeChange,
  type Commit,
  type CommitWindow,
  findRewritten,
  findUndoing,
  judgeChanges,
  type Mirror,
  readCommitsOf,
  readCommitWindow,
  readReadme,
} from "../git/public.ts";
import type { Looked } from "../registry/public.ts";
import { listOfSource, type SourceContribution } from "./contribution-store.ts";
import { findRef, type RefRow } from "./ref-store.ts";
import type { ContributionMove, Withdrawal } from "./rules.ts";

/** What a ref has brought since it was drafted the last time, as its repository says. */
export type RefEvidence = {
  window: CommitWindow;
  readme: string | null;
  /** The commits to draft or skip, parents before children. */
  changes: readonly Commit[];
  withdrawals: Withdrawal[];
  moves: ContributionMove[];
};

/** A ref, and what it has brought. */
export type Gathered = { ref: RefRow; evidence: RefEvidence };

const single = (sha: string): CodeChange => ({
  kind: "pull_request",
  number: 0,
  shas: [sha],
  mergeCommit: null,
});

const toPullRequest = ({ number, shas, mergeSha: mergeCommit }: SourceContribution): CodeChange => ({
  kind: "pull_request",
  number: number ?? 0,
  shas,
  mergeCommit,
});

/** What is looked up in one history. */
type Look = { mirror: Mirror; ref: RefRow; tipSha: string | null; signal: AbortSignal };

/** What became of changes in a ref: there, gone, or unknown. */
async function judge({ mirror, ref, signal }: Look, changes: readonly CodeChange[]) {
  if (changes.length === 0) return [];
  const question = { changes, branchTip: null, deployed: ref.headSha, signal };
  return judgeChanges(mirror, question);
}

/** Pull requests that were drafted from their own refs and are on this branch now, with the commits that they are there. */
async function findLanded(
  look: Look,
  contributions: readonly SourceContribution[],
): Promise<ContributionMove[]> {
  if (look.ref.refKey !== "branch") return [];
  const open = contributions.filter(
    (each) => !each.isWithdrawn && each.number !== null && each.landed.length === 0,
  );
  const verdicts = await judge(look, open.map(toPullRequest));
  return open.flatMap(({ id: contributionId, campaignId, shas }, index) => {
    const { state, representation = [] } = verdicts[index] ?? {};
    if (state !== "present") return [];
    return [{ contributionId, campaignId, shas, landed: [...representation] }];
  });
}

/** Contributions of this ref whose commits are others since it was rewritten. */
function findMoved(
  contributions: readonly SourceContribution[],
  ref: RefRow,
  rewritten: ReadonlyMap<string, string>,
): ContributionMove[] {
  const nowOf = new Map([...rewritten].map(([now, was]) => [was, now]));
  return contributions.flatMap(({ id: contributionId, campaignId, refId, isWithdrawn, shas, landed }) => {
    const all = [...shas, ...landed];
    if (refId !== ref.id || isWithdrawn || !all.some((sha) => nowOf.has(sha))) return [];
    const moved = (commits: readonly string[]) => commits.map((sha) => nowOf.get(sha) ?? sha);
    return [{ contributionId, campaignId, shas: moved(shas), landed: moved(landed) }];
  });
}

/** A contribution that was taken back, and what of it is still there. */
type Gone = { contribution: SourceContribution; left: string[] };

/** Contributions of this ref to drafts, of which a commit is surely not there any more, or was reverted. */
async function findGone(look: Look, contributions: readonly SourceContribution[]): Promise<Gone[]> {
  const own = contributions
    .filter(({ refId, isWithdrawn, isDraft }) => refId === look.ref.id && !isWithdrawn && isDraft)
    .map((contribution) => {
      const isMerged = contribution.number !== null && contribution.landed.length > 0;
      const changes = isMerged ? [toPullRequest(contribution)] : contribution.shas.map(single);
      return { contribution, isMerged, changes };
    });
  const verdicts = await judge(
    look,
    own.flatMap(({ changes }) => changes),
  );
  let from = 0;
  return own.flatMap(({ contribution, isMerged, changes }): Gone[] => {
    const states = verdicts.slice(from, from + changes.length).map(({ state }) => state);
    from += changes.length;
    const isSure = states.every((state) => state !== "unknown");
    if (!isSure || states.every((state) => state === "present")) return [];
    const left = isMerged ? [] : contribution.shas.filter((_, index) => states[index] === "present");
    return [{ contribution, left }];
  });
}

/**
 * The commits of a window that were neither drafted nor skipped yet, and what is left of contributions that were taken back. A commit that a
 * later one takes back is no news, and neither is the one that does nothing but that, or takes back what was drafted.
 */
async function changesIn(
  { mirror, ref, signal }: Look,
  {
    window,
    gone,
    known,
  }: {
    window: CommitWindow;
    gone: readonly Gone[];
    known: Record<"announced" | "ever", ReadonlySet<string>>;
  },
): Promise<Commit[] | null> {
  const left = await readCommitsOf(mirror, [...new Set(gone.flatMap((each) => each.left))], signal);
  if (left === null) return null;
  const commits = window.commits.filter((commit) => !commit.isMerge);
  const among = { commits: commits.map(({ sha }) => sha), known: known.ever, tip: ref.headSha };
  const undoing = commits.length === 0 ? null : await findUndoing(mirror, among, signal);
  const isNews = (sha: string): boolean =>
    !known.announced.has(sha) && undoing?.gone.has(sha) !== true && undoing?.undoers.has(sha) !== true;
  return [...left, ...commits.filter(({ sha }) => isNews(sha))];
}

async function readEvidence(
  look: Look,
  contributions: readonly SourceContribution[],
): Promise<RefEvidence | null> {
  const { mirror, ref, tipSha, signal } = look;
  const outside = ref.refKey === "branch" ? null : tipSha;
  const between = { fromSha: ref.cursorSha, headSha: ref.headSha, outside };
  const window = await readCommitWindow(mirror, between, signal);
  if (window === null) return null;
  const rewritten = window.isForced
    ? await findRewritten(mirror, between, signal)
    : new Map<string, string>();
  const moves = [...findMoved(contributions, ref, rewritten), ...(await findLanded(look, contributions))];
  const movedOf = new Map(moves.map((move) => [move.contributionId, move]));
  const now = contributions.map((each): SourceContribution => {
    const move = movedOf.get(each.id);
    if (move === undefined) return each;
    return {
      ...each,
      shas: move.shas,
      landed: move.landed,
      refId: move.landed.length > 0 ? ref.id : each.refId,
    };
  });
  // Any commit may take something back, whatever it says.
  const gone = window.isForced || window.commits.length > 0 ? await findGone(look, now) : [];
  const all = [...now, ...contributions];
  const commitsOf = (brought: readonly SourceContribution[]): string[] =>
    brought.flatMap(({ shas, landed }) => [...shas, ...landed]);
  const known = {
    // What was taken back before, and is there again, is announced anew.
    announced: new Set([...rewritten.keys(), ...commitsOf(all.filter(({ isWithdrawn }) => !isWithdrawn))]),
    ever: new Set(commitsOf(all)),
  };
  const changes = await changesIn(look, { window, gone, known });
  if (changes === null) return null;
  const byCampaign = Map.groupBy(gone, ({ contribution }) => contribution.campaignId);
  const withdrawals = [...byCampaign].map(
    ([campaignId, group]): Withdrawal => ({
      campaignId,
      contributionIds: group.map(({ contribution }) => contribution.id),
    }),
  );
  const readme = await readReadme(mirror, window.toSha, signal);
  return { window, readme, changes, withdrawals, moves };
}

/** Reads what a ref (UUID) has brought since it was drafted the last time; null where it is gone, or where git cannot tell. */
export async function gather(
  { database: { kysely } }: App,
  { projectId, mirror, tipSha }: Looked,
  refId: string,
  signal: AbortSignal,
): Promise<Gathered | null> {
  const ref = await findRef(kysely, projectId, refId);
  if (ref === null) return null;
  const contributions = await listOfSource(kysely, projectId, ref.sourceId);
  const evidence = await readEvidence({ mirror, ref, tipSha, signal }, contributions);
  // What was cut short says nothing.
  return evidence === null || signal.aborted ? null : { ref, evidence };
}
