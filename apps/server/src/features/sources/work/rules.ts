import { dueSql, isDue } from "../../../platform/time/far-ahead.ts";
import type { SourceChange } from "../../campaigns/authoring/schema.ts";
import type { HostedPullRequest } from "../github/rules.ts";
import { LEASE_SECONDS, type PlanOp } from "./schema.ts";
import type { DraftSettings } from "./settings.pure.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const LONGEST_PAUSE_MS = 360 * MINUTE_MS;
const LONGEST_LEASE_MS = LEASE_SECONDS.most * SECOND_MS;

/** How long work rests that was claimed so many times in a row and not done, in milliseconds: a minute, doubled each time, up to 6 hours. */
export const pauseAfter = (tries: number): number =>
  Math.min(LONGEST_PAUSE_MS, MINUTE_MS * 2 ** Math.min(20, Math.max(0, tries - 1)));

/** Whether the work of a ref is leased until an instant that has not come (epoch ms, or null). */
export const isLeased = (expiresAt: number | null, now: number): expiresAt is number =>
  expiresAt !== null && !isDue(expiresAt, now, LONGEST_LEASE_MS);

/** SQL: whether the lease of a ref, whose end may be null, is over or was never given. */
export const unleasedSql = (expiresAt: string, now: string): string =>
  `coalesce(${dueSql(expiresAt, now, LONGEST_LEASE_MS)}, true)`;

/** A lease that is not given back rests from its end on. */
const LONGEST_REST_MS = LONGEST_LEASE_MS + LONGEST_PAUSE_MS;

/** Whether the rest of a ref is over. */
export const isRested = (retryAt: number, now: number): boolean => isDue(retryAt, now, LONGEST_REST_MS);

/** SQL of `isRested`. */
export const restedSql = (retryAt: string, now: string): string => dueSql(retryAt, now, LONGEST_REST_MS);

/**
 * Whether a pull request is drafted before it is merged. Anybody may open one at a public repository, and each claim of one costs a run of the
 * day.
 */
export const isTaken = (
  { byMember, labels }: Pick<HostedPullRequest, "byMember" | "labels">,
  { "drafts.pullRequests": from, "drafts.pullRequestLabel": label }: DraftSettings,
): boolean => from === "everyone" || byMember || (label !== null && labels.includes(label));

/** What a lease is about. Campaigns and contributions by their UUIDs. */
export type Work = {
  /** The generation of the source. */
  generation: number;
  fromSha: string;
  toSha: string;
  /** The commits that a plan has to draft or skip. */
  shas: string[];
  withdrawals: Withdrawal[];
  moves: ContributionMove[];
};

/** Contributions that a source took back. */
export type Withdrawal = { campaignId: string; contributionIds: string[] };

/** A contribution whose commits have become others: by a rewritten ref, or by a merge of its pull request (`landed`). */
export type ContributionMove = {
  contributionId: string;
  campaignId: string;
  shas: string[];
  landed: string[];
};

/** Why a plan does not fit what was claimed, with its place; null where it does. Ids of campaigns are those of the API. */
export function planFault(
  { shas, withdrawn }: { shas: readonly string[]; withdrawn: readonly string[] },
  ops: readonly PlanOp[],
): string | null {
  const authored = new Set<string>();
  const skipped = new Set<string>();
  const named = new Set<string>();
  const covered = new Set<string>();
  for (const [index, op] of ops.entries()) {
    const at = `ops[${index}]`;
    if (op.op !== "create" && op.op !== "skip") {
      const key = `${op.op} ${op.campaignId}`;
      if (named.has(key)) return `${at} must not repeat another one: ${op.op} of ${op.campaignId}`;
      named.add(key);
    }
    if (op.op === "withdraw") {
      if (!withdrawn.includes(op.campaignId))
        return `${at}.campaignId must be a campaign of the claim's withdrawals`;
      covered.add(op.campaignId);
      continue;
    }
    const others = op.op === "skip" ? authored : skipped;
    for (const [place, sha] of op.shas.entries()) {
      const path = `${at}.shas[${place}]`;
      if (!shas.includes(sha)) return `${path} must be a commit of the claim's changes`;
      if (others.has(sha)) return `${path} must not be both drafted and skipped`;
      if (op.shas.indexOf(sha) !== place) return `${path} must not be given twice`;
      (op.op === "skip" ? skipped : authored).add(sha);
    }
    if (op.op === "skip") continue;
    const key = JSON.stringify(op);
    if (named.has(key)) return `${at} must not repeat another one`;
    named.add(key);
  }
  const missing = shas.find((sha) => !authored.has(sha) && !skipped.has(sha));
  if (missing !== undefined) return `ops must draft or skip every commit of the claim: ${missing} is missing`;
  const kept = withdrawn.find((id) => !covered.has(id));
  return kept === undefined
    ? null
    : `ops must withdraw from every campaign of the claim's withdrawals: ${kept} is missing`;
}

/** What a contribution has its campaign announce. */
export type Announced = {
  sourceId: string;
  /** Of a pull request; null for commits. */
  number: number | null;
  shas: readonly string[];
  isWithdrawn: boolean;
};

/** The most changes that a campaign announces, and commits of one of them. */
const MOST_CHANGES = 100;
const MOST_SHAS = 250;

/** The changes that contributions announce: each commit once, and each pull request with all of its commits. */
export function announcedChanges(contributions: readonly Announced[]): SourceChange[] {
  const changes = new Map<string, SourceChange>();
  for (const { sourceId, number, shas, isWithdrawn } of contributions) {
    if (isWithdrawn) continue;
    if (number === null) {
      for (const sha of shas) changes.set(`${sourceId} ${sha}`, { sourceId, kind: "commit", sha });
      continue;
    }
    const key = `${sourceId} #${number}`;
    const before = changes.get(key);
    const known = before?.kind === "pull_request" ? before.shas : [];
    changes.set(key, { sourceId, kind: "pull_request", number, shas: [...new Set([...known, ...shas])] });
  }
  return [...changes.values()];
}

const keyOf = (change: SourceChange): string =>
  `${change.sourceId} ${change.kind === "commit" ? change.sha : `#${change.number}`}`;

/** What a campaign declares once its contributions are others: what people declared stays. Null where that is too much for one campaign. */
export function redeclared(
  declared: readonly SourceChange[],
  before: readonly Announced[],
  after: readonly Announced[],
): SourceChange[] | null {
  const own = new Set(announcedChanges(before.map((each) => ({ ...each, isWithdrawn: false }))).map(keyOf));
  const kept = declared.filter((change) => !own.has(keyOf(change)));
  const known = new Set(kept.map(keyOf));
  const changes = [...kept, ...announcedChanges(after).filter((change) => !known.has(keyOf(change)))];
  const isTooMuch =
    changes.length > MOST_CHANGES ||
    changes.some((change) => change.kind === "pull_request" && change.shas.length > MOST_SHAS);
  return isTooMuch ? null : changes;
}

/** The number of a pull request that a ref is about; null for the branch. */
export const numberOf = (refKey: string): number | null =>
  refKey.startsWith("pr:") ? Number(refKey.slice("pr:".length)) : null;
