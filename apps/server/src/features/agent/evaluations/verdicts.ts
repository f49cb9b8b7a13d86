import { uuidFor } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/endpoint.ts";
import type { CampaignRow } from "../../campaigns/authoring/public.ts";
import { readGuardrails } from "../../campaigns/goals/guardrails.pure.ts";
import { findGoal, unreadable } from "../../campaigns/goals/public.ts";
import type { Goal } from "../../campaigns/goals/schema.ts";
import { readStatistics } from "../../deliveries/public.ts";
import type { Statistics } from "../../statistics/schema.ts";
import { type Changeable, weightsAfter } from "./affected.pure.ts";
import { forbid, forbidden, refuse } from "./refusals.ts";
import type { HostedMutation } from "./schema.ts";
import type { LockedCandidate } from "./store.ts";
import { type Claim, claimsOf, type Reweighted } from "./verdict.pure.ts";
import { countVerdicts, numberTreatments, readAlphas } from "./verdict-store.ts";

/** Gives the treatments of a claimed campaign their places in its goal's order, where the goal bounds false verdicts. */
export async function numberTreatmentsOf(
  { db, projectId }: Ctx,
  { id: campaignId, goalId }: LockedCandidate,
): Promise<void> {
  const goal = goalId === null ? null : await findGoal(db, projectId, goalId);
  const read = readGuardrails(goal?.guardrails ?? null);
  // Guardrails that cannot be read refuse the verdict itself.
  const budget = "limits" in read ? read.limits.errorBudget : undefined;
  if (goalId === null || budget === undefined) return;
  await numberTreatments(db, projectId, { goalId, campaignId, budget });
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
  claimsOf(reweighted(mutation, campaign)).length > 0;

/** What was counted of a campaign for the event of its goal. The epoch tells whether it was changed since. */
export type Counted = { epoch: number; statistics: Statistics };

/** Counts a campaign. Takes up to a second for millions of deliveries, so it is called before anything is locked. */
export async function readCounted({ db, projectId, now }: Ctx, campaign: CampaignRow): Promise<Counted> {
  const goal = campaign.goalId === null ? null : await findGoal(db, projectId, campaign.goalId);
  // Without a target event nothing converts, and the split of the users is known all the same.
  const event = goal?.targetEvent ?? "";
  const statistics = await readStatistics(db, campaign, { event, evaluatedAt: now, wantsSeries: false });
  return { epoch: campaign.epoch, statistics };
}

/** @throws ApiError where only one variant that was shown would keep users, while users are not split as the weights say */
export function assertSplit(
  mutation: HostedMutation,
  campaign: Changeable,
  { statistics: { sampleRatio } }: Counted,
): void {
  if (!sampleRatio.mismatch) return;
  const exposed = new Set(
    sampleRatio.arms.filter((arm) => arm.exposedUsers > 0).map(({ variantId }) => variantId),
  );
  const staying = reweighted(mutation, campaign).filter(
    ({ variantId, after }) => after > 0 && exposed.has(variantId),
  );
  if (staying.length === 1) throw refuse("sample_ratio_mismatch");
}

/** Whether the counts support a claim, at the chance of a false one that is left for it. */
function isSupported(
  claim: Claim,
  { statistics: { variants } }: Counted,
  alpha: number | undefined,
): boolean {
  const treatment = variants.find(({ variantId }) => variantId === claim.variantId);
  const control = variants.find(({ isControl }) => isControl);
  const [rate, other] = [treatment?.rate.estimate ?? null, control?.rate.estimate ?? null];
  if (!treatment?.comparison || rate === null || other === null || alpha === undefined) return false;
  return treatment.comparison.eValue >= 1 / alpha && (claim.is === "better" ? rate > other : rate < other);
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
    counted: Counted;
    payloadHash: string;
  },
  goal: Goal,
): Promise<void> {
  const read = readGuardrails(goal.guardrails);
  if ("fault" in read) throw forbidden(unreadable(read.fault), payloadHash);
  if (read.limits.errorBudget === undefined) return;
  const claims = claimsOf(reweighted(mutation, campaign));
  const under = { goalId: uuidFor("goal", goal.id), campaignId };
  const alphas = await readAlphas(db, projectId, under);
  const claimed = claims.map((claim) => ({ ...claim, uuid: uuidFor("var", claim.variantId) }));
  for (const claim of claimed) {
    const alpha = alphas.get(claim.uuid);
    if (isSupported(claim, counted, alpha)) continue;
    const needed = alpha === undefined ? null : 1 / alpha;
    throw forbid(
      "insufficient_evidence",
      `${claim.variantId} is not known to be ${claim.is} yet: the goal's error budget asks for more evidence, or for a person's approval.`,
      { payloadHash, variantId: claim.variantId, eValueNeeded: needed },
    );
  }
  await countVerdicts(
    db,
    projectId,
    under,
    claimed.map(({ uuid }) => uuid),
    now,
  );
}
