import type { Answer, Client } from "@tidings/client";
import { canonicalHash } from "./canonical.ts";
import { type LoggedRun, neededEvidence } from "./runs.ts";
import type { Snapshot, SnapshotVariant } from "./snapshot.ts";

type CampaignDetail = Answer<"getCampaign">["campaign"];
type Statistics = NonNullable<Answer<"getCampaignConversions">["statistics"]>;
type Proposal = Answer<"listProposals">["proposals"][number];

/** A claimed evaluation. */
export type Lease = Pick<
  Answer<"claimEvaluation">,
  "leaseToken" | "nextEvaluationAt" | "decidedContinuation" | "applied"
> & { campaignId: string };

/** What was seen of a campaign: the snapshot, and the messages that it names by their hash. */
export type Observed = { snapshot: Snapshot; messages: Record<string, unknown>; deliverUntil: number | null };

const DIGITS = 12;
const PAST_PROPOSALS = 10;
/** So long a verdict that lacked evidence is not tried again, unless its evidence has grown. */
const REFUSAL_DAYS = 7;
const DAY_MS = 86_400_000;

/** Numbers are cut to 12 digits, so that a snapshot reads the same whatever computed the last ones. */
const cut = (value: number): number => Number(value.toPrecision(DIGITS));

function comparisonOf(
  comparison: Statistics["variants"][number]["comparison"],
  eValueNeeded: number | null,
): SnapshotVariant["comparison"] {
  if (comparison === null) return null;
  const { eValue, relative, verdict, bestChance } = comparison;
  return {
    eValue: cut(eValue),
    lower: cut(relative.lower),
    verdict,
    bestChance: cut(bestChance),
    upper: relative.upper === null ? null : cut(relative.upper),
    eValueNeeded: eValueNeeded === null ? null : cut(eValueNeeded),
  };
}

function variantsOf(
  { variants }: CampaignDetail,
  statistics: Statistics | null,
  needed: ReadonlyMap<string, number>,
): SnapshotVariant[] {
  return variants.map(({ id, isControl, weight, content }) => {
    const found = statistics?.variants.find(({ variantId }) => variantId === id);
    return {
      id,
      isControl,
      weight,
      contentHash: canonicalHash(content),
      matured: found?.matured ?? null,
      pending: found?.pending ?? null,
      comparison: comparisonOf(found?.comparison ?? null, needed.get(id) ?? null),
    };
  });
}

/** The guardrails that are numbers; phrases are the server's to look for, and a goal may have keys of its own. */
const LIMITS = [
  "maxActiveCampaigns",
  "maxUnsubscribeRate",
  "maxComplaintRate",
  "minConversionRate",
  "minControlShare",
  "errorBudget",
] as const;

function limitsOf(guardrails: Record<string, unknown> | null): Snapshot["goal"]["limits"] {
  const given = LIMITS.map((name): [string, unknown] => [name, guardrails?.[name]]);
  return Object.fromEntries(given.filter((entry): entry is [string, number] => typeof entry[1] === "number"));
}

async function readStatistics(
  api: Client,
  campaignId: string,
  event: string | null,
): Promise<Statistics | null> {
  if (event === null) return null;
  const { statistics } = await api.getCampaignConversions({ path: { id: campaignId }, query: { event } });
  return statistics;
}

/** The policy that looks and the instant, and what was logged of the campaign before, newest first. */
type Context = { policy: string; past: readonly LoggedRun[]; proposals: readonly Proposal[]; now: number };

/** Looks at a claimed campaign. */
export async function observe(
  api: Client,
  lease: Lease,
  { policy, past, proposals, now }: Context,
): Promise<Observed> {
  const { campaignId, nextEvaluationAt: evaluationAt } = lease;
  const { campaign } = await api.getCampaign({ path: { id: campaignId } });
  if (campaign.goalId === null) throw new Error("A campaign without a goal was claimed.");
  const { goal } = await api.getGoal({ path: { id: campaign.goalId } });
  const limits = limitsOf(goal.guardrails);
  const statistics = await readStatistics(api, campaignId, goal.targetEvent);
  const needed =
    limits.errorBudget === undefined
      ? new Map<string, number>()
      : await neededEvidence(api, campaignId, now - REFUSAL_DAYS * DAY_MS);
  const sampleRatio = statistics?.sampleRatio ?? null;
  const { id, targetEvent, attributionDays, approvalMode } = goal;
  const divided = past.find(
    ({ logged }) => logged.policy === policy && logged.decision.action === "allocate",
  );
  const snapshot: Snapshot = {
    version: 1,
    takenAt: now,
    campaignId,
    evaluationAt,
    channel: campaign.channel,
    status: campaign.effectiveStatus,
    deliverUntil: campaign.deliverUntil,
    goal: { id, targetEvent, attributionDays, approvalMode, limits },
    variants: variantsOf(campaign, statistics, needed),
    statistics: statistics?.snapshot ?? null,
    sampleRatio: sampleRatio && {
      eValue: cut(sampleRatio.eValue),
      threshold: cut(sampleRatio.threshold),
      mismatch: sampleRatio.mismatch,
    },
    lastAllocatedAt: divided?.run.createdAt ?? null,
    appliedHashes: lease.applied.map(({ payloadHash }) => payloadHash),
    proposals: proposals.slice(0, PAST_PROPOSALS).map((each) => ({
      id: each.id,
      evaluationAt: each.evaluationAt,
      state: each.state,
      mutationHash: canonicalHash(each.mutation),
    })),
  };
  const messages = Object.fromEntries(campaign.variants.map((each) => [each.id, each.content]));
  return { snapshot, messages, deliverUntil: campaign.deliverUntil };
}
