import { uuidFor } from "../../../../domain/ids.ts";
import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { type CampaignRow, findCampaign, requireCampaign } from "../../../campaigns/authoring/public.ts";
import type { CampaignStatus } from "../../../campaigns/authoring/rules.ts";
import { findJourney, type JourneyRow } from "../../../journeys/authoring/public.ts";
import { isLeaseOf } from "../leases/lease.ts";
import { refuseEvaluation } from "../limits/refusals.ts";
import { readSafety, type Safety } from "../limits/safety.ts";
import type { HostedMutation } from "../mutation.pure.ts";
import { readChangeable } from "../proposals/open-proposals.ts";
import { isEligible } from "../rules.ts";
import { type EvaluationRow, lockEvaluation, lockGoal } from "../store.ts";
import { type CountedComparisons, isCurrent, readCounted, retires } from "../verdicts/verdicts.ts";
import type { Changeable } from "./affected.pure.ts";
import { hashesOf, type PayloadHashes } from "./payload.ts";

/** A change of a campaign, in one of its evaluations. */
export type EvaluationMutation = { campaignId: string; evaluationAt: number; mutation: HostedMutation };

/** A change that an agent wants, with the digest of the lease that it claims to have. */
export type RequestedMutation = EvaluationMutation & { digest: Buffer };

/** All that is known, and locked, when an agent's change is judged. `counted` is there for a change that retires a variant. */
export type LockedEvaluation = PayloadHashes & {
  campaign: CampaignRow;
  changeable: Changeable;
  goalStatus: "active" | "archived" | null;
  evaluation: EvaluationRow | null;
  counted: CountedComparisons | null;
  /** The journey whose steps are to change; null for every other change. */
  journey: JourneyRow | null;
};

/** Locks the journey of which a campaign is a step. @throws ApiError where it is none */
async function lockJourney(
  { db, projectId }: Ctx,
  { journeyId }: Pick<CampaignRow, "journeyId">,
): Promise<JourneyRow> {
  const journey = journeyId === null ? null : await findJourney(db, projectId, journeyId, "for update");
  if (journey !== null) return journey;
  throw new ApiError(
    "invalid_request",
    "mutation.type must not be journey: this campaign is no step of a journey",
  );
}

/** Locks the journey where its steps are to change, then the campaign, its goal and its evaluation, in this order. @throws ApiError not_found */
export async function lockForChange(
  ctx: Ctx,
  { campaignId, evaluationAt, mutation }: EvaluationMutation,
): Promise<LockedEvaluation> {
  const { db, projectId } = ctx;
  const uuid = uuidFor("cmp", campaignId);
  const early = await findCampaign(db, projectId, uuid);
  if (early === null) throw new ApiError("not_found", "Campaign not found");
  const seen = await readChangeable(ctx, early);
  // Counting takes long where there are many deliveries, and while the campaign is locked it delivers nothing.
  const before = retires(mutation, seen) ? await readCounted(ctx, early, seen) : null;
  const journey = mutation.type === "journey" ? await lockJourney(ctx, early) : null;
  const campaign = await requireCampaign(ctx, campaignId, "for update");
  const goalStatus = await lockGoal(db, projectId, campaign.goalId, "for no key update");
  const evaluation = await lockEvaluation(db, projectId, campaign.id);
  const changeable = await readChangeable(ctx, campaign);
  const isCounted = before !== null && (await isCurrent(ctx, campaign, changeable, before));
  const counted =
    isCounted || !retires(mutation, changeable) ? before : await readCounted(ctx, campaign, changeable);
  return {
    ...hashesOf(campaign.id, evaluationAt, mutation),
    campaign,
    changeable,
    goalStatus,
    evaluation,
    counted,
    journey,
  };
}

/**
 * What has to be so for every change of an agent: its lease, its evaluation, a loop that is not paused, a campaign that is looked after.
 * Answers the bounds of the project. @throws ApiError conflict with the first reason against it
 */
export async function assertMayAct(
  ctx: Ctx,
  { digest, evaluationAt }: RequestedMutation,
  { campaign, goalStatus, evaluation }: LockedEvaluation,
): Promise<{ safety: Safety; evaluation: EvaluationRow }> {
  const { db, projectId, now } = ctx;
  if (evaluation === null || !isLeaseOf(evaluation, digest, now)) throw refuseEvaluation("lease_lost");
  if (evaluation.evaluationAt !== evaluationAt) throw refuseEvaluation("evaluation_mismatch");
  const safety = await readSafety(db, projectId);
  if (safety.loopPaused) throw refuseEvaluation("loop_paused");
  const candidate = { ...campaign, status: campaign.status as CampaignStatus, goalStatus };
  if (!isEligible(candidate, now)) throw refuseEvaluation("ineligible");
  return { safety, evaluation };
}
