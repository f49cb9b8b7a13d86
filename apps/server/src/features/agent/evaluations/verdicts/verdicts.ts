import { apiId, uuidFor } from "../../../../domain/ids.ts";
import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { type CampaignRow, listVariants } from "../../../campaigns/authoring/public.ts";
import { readGuardrails } from "../../../campaigns/goals/guardrails.pure.ts";
import { findGoal, unreadable } from "../../../campaigns/goals/public.ts";
import type { Goal } from "../../../campaigns/goals/schema.ts";
import { attributionDaysOf, readAllocations, readJudged } from "../../../deliveries/public.ts";
import { epochsOf } from "../../../statistics/compare.pure.ts";
import { type Pairing, pairingsOf } from "../../../statistics/pairings.pure.ts";
import type { Judged } from "../../../statistics/public.ts";
import type { Statistics } from "../../../statistics/schema.ts";
import { sideOf } from "../../../statistics/split.pure.ts";
import { type Changeable, weightsAfter } from "../changes/affected.pure.ts";
import { forbid, forbidden, refuseEvaluation } from "../limits/refusals.ts";
import type { HostedMutation } from "../mutation.pure.ts";
import { alphaOf } from "../rules.ts";
import type { LockedCandidate } from "../store.ts";
import {
  type Claim,
  type Numbered,
  placesFor,
  type Reweighted,
  type Tested,
  testsByKey,
  weightClaims,
} from "./verdict.pure.ts";
import { countVerdicts, insertTests, listTests, readVerdictCounts } from "./verdict-store.ts";

/** What a goal counts: which event, and within how many days after a user was exposed. Without an event nothing is compared. */
type Outcome = Pick<Tested, "event" | "attributionDays">;

const outcomeOf = (goal: Goal | null): Outcome => ({
  event: goal?.targetEvent ?? "",
  attributionDays: attributionDaysOf(goal),
});

/** A comparison as a test: the ids of its variants are UUIDs. */
const testedIn = ({ pair, sinceEpoch }: Pick<Pairing, "pair" | "sinceEpoch">, outcome: Outcome): Tested => ({
  variantId: uuidFor("var", pair.arm),
  controlId: uuidFor("var", pair.other),
  sinceEpoch,
  ...outcome,
});

/**
 * Gives the comparisons of a claimed campaign that have begun their places in its goal's order, where the goal bounds false verdicts.
 * Edited texts are compared anew, so they get new places. Needs campaign and goal locked.
 */
export async function numberTreatmentsOf(
  { db, projectId }: Ctx,
  { id: campaignId, goalId }: LockedCandidate,
): Promise<void> {
  const goal = goalId === null ? null : await findGoal(db, projectId, goalId);
  if (goal === null || goalId === null || goal.targetEvent === null) return;
  const read = readGuardrails(goal.guardrails);
  // Guardrails that cannot be read refuse the verdict itself.
  const budget = "limits" in read ? read.limits.errorBudget : undefined;
  if (budget === undefined) return;
  const variants = await listVariants(db, projectId, campaignId);
  const epochs = epochsOf(await readAllocations(db, projectId, campaignId));
  const pairings = pairingsOf(
    epochs,
    variants.map(({ id, ...variant }) => ({ ...variant, variantId: apiId("var", id) })),
  );
  const tests = pairings.map((pairing) => testedIn(pairing, outcomeOf(goal)));
  const under = { goalId, campaignId };
  const known = await listTests(db, projectId, under);
  const places = placesFor(tests, known, { ...(await readVerdictCounts(db, projectId, goalId)), budget });
  await insertTests(db, projectId, under, places);
}

/** The variants of a campaign before and after a mutation. */
function reweighted(mutation: HostedMutation, { variants }: Changeable): Reweighted[] {
  const after = weightsAfter(mutation, variants);
  return variants.map(({ id, isControl, weight }) => ({
    variantId: id,
    isControl,
    before: weight,
    after: after.get(id) ?? weight,
  }));
}

/** Whether a mutation takes all users from a variant: only then it has to be judged by what was counted. */
export const retires = (mutation: HostedMutation, campaign: Changeable): boolean =>
  weightClaims(reweighted(mutation, campaign)).length > 0;

/** What was counted of a campaign for its goal, and from what: `basis` tells whether any of that was changed since. */
export type CountedComparisons = {
  basis: string;
  comparisons: readonly (Judged & { tested: Tested })[];
  sampleRatio: Statistics["sampleRatio"];
};

/** Counts a campaign. Takes up to a second for millions of deliveries, so it is called before anything is locked. */
export async function readCounted(
  ctx: Ctx,
  campaign: CampaignRow,
  changeable: Changeable,
): Promise<CountedComparisons> {
  const { db, projectId, now } = ctx;
  const goal = campaign.goalId === null ? null : await findGoal(db, projectId, campaign.goalId);
  const outcome = outcomeOf(goal);
  const { comparisons, sampleRatio } = await readJudged(db, campaign, { ...outcome, evaluatedAt: now });
  return {
    basis: countedFor(campaign, changeable, outcome),
    comparisons: comparisons.map((each) => ({ ...each, tested: testedIn(each, outcome) })),
    sampleRatio,
  };
}

/** What counts depend on beside users. An epoch has its weights and contents; who is the control, and what is counted, change within one. */
const countedFor = ({ epoch }: CampaignRow, { variants }: Changeable, outcome: Outcome): string =>
  JSON.stringify([epoch, variants.find(({ isControl }) => isControl)?.id ?? null, outcome]);

/** Whether what was counted is still about the campaign as it is. */
export async function isCurrent(
  { db, projectId }: Ctx,
  campaign: CampaignRow,
  changeable: Changeable,
  counted: CountedComparisons,
): Promise<boolean> {
  const goal = campaign.goalId === null ? null : await findGoal(db, projectId, campaign.goalId);
  return counted.basis === countedFor(campaign, changeable, outcomeOf(goal));
}

/** @throws ApiError where only one variant that was shown would keep users, while users are not split as the weights say */
export function assertSplit(
  mutation: HostedMutation,
  campaign: Changeable,
  { sampleRatio }: CountedComparisons,
): void {
  if (!sampleRatio.mismatch) return;
  const exposed = new Set(
    sampleRatio.arms.filter((arm) => arm.exposedUsers > 0).map(({ variantId }) => variantId),
  );
  const staying = reweighted(mutation, campaign).filter(
    ({ variantId, after }) => after > 0 && exposed.has(variantId),
  );
  if (staying.length === 1) throw refuseEvaluation("sample_ratio_mismatch");
}

/** The test of a claim, where it has a place, and whether the counts support the claim at the chance of a false one that is left for it. */
function judge(
  claim: Claim,
  { comparisons }: CountedComparisons,
  find: (test: Tested) => Numbered | undefined,
): { test: Numbered | undefined; isSupported: boolean } {
  const compared = comparisons.find(({ pair }) => pair.arm === claim.variantId);
  const test = compared && find(compared.tested);
  const side = compared && test ? sideOf(compared.splits, compared.logE, test.alpha) : null;
  return { test, isSupported: side === claim.is };
}

/**
 * Lets a mutation retire variants only with the evidence that the goal's error budget asks for, and counts the verdicts. Needs the goal
 * locked. @throws ApiError insufficient_evidence, which a person's approval replaces
 */
export async function recordVerdicts(
  { db, projectId, now }: Ctx,
  {
    mutation,
    campaign,
    campaignId,
    counted,
    payloadHash,
  }: {
    mutation: HostedMutation;
    campaign: Changeable;
    campaignId: string;
    counted: CountedComparisons;
    payloadHash: string;
  },
  goal: Goal,
): Promise<void> {
  const read = readGuardrails(goal.guardrails);
  if ("fault" in read) throw forbidden(unreadable(read.fault), payloadHash);
  if (read.limits.errorBudget === undefined) return;
  const under = { goalId: uuidFor("goal", goal.id), campaignId };
  const find = testsByKey(await listTests(db, projectId, under));
  const places: number[] = [];
  for (const claim of weightClaims(reweighted(mutation, campaign))) {
    const { test, isSupported } = judge(claim, counted, find);
    if (isSupported && test !== undefined) {
      places.push(test.t);
      continue;
    }
    const { last, verdicts } = await readVerdictCounts(db, projectId, under.goalId);
    throw forbid(
      "insufficient_evidence",
      `${claim.variantId} is not known to be ${claim.is} yet: the goal's error budget asks for more evidence, or for a person's approval.`,
      {
        payloadHash,
        variantId: claim.variantId,
        eValueNeeded: 1 / (test?.alpha ?? alphaOf(read.limits.errorBudget, last + 1, verdicts)),
      },
    );
  }
  await countVerdicts(db, projectId, under, places, now);
}
