import { apiId } from "../../../../domain/ids.ts";
import { takenBack } from "../../../../platform/db/transactions/taken-back.ts";
import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { type JourneyChange, journeyChange } from "../../../journeys/authoring/public.ts";
import { type EvaluationMutation, type LockedEvaluation, lockForChange } from "../changes/act.ts";
import { applyMutation, assertAllowed } from "../changes/apply.ts";
import { assertSplit } from "../verdicts/verdicts.ts";
import { mutationOf } from "./open-proposals.ts";
import type { ProposalRow } from "./proposal-store.ts";

/**
 * Applies the change and takes it back, so that whatever would refuse it once people have approved it refuses it now. Answers the journey before
 * and after where its steps would change, otherwise null.
 * @throws ApiError the refusal
 */
export async function rehearse(
  ctx: Ctx,
  { mutation }: EvaluationMutation,
  locked: LockedEvaluation,
): Promise<JourneyChange | null> {
  const { campaign, changeable, counted, journey, payloadHash } = locked;
  await assertAllowed(ctx, campaign, mutation, payloadHash);
  if (counted !== null) assertSplit(mutation, changeable, counted);
  const apply = () => applyMutation(ctx, locked, mutation, null);
  if (journey !== null) return takenBack(ctx.db, () => journeyChange(ctx, journey, apply));
  await takenBack(ctx.db, apply);
  return null;
}

/** Whether an approved change would be refused now, by a guardrail for example. Locks what changing the campaign would lock. */
export async function wouldBeRefused(ctx: Ctx, proposal: ProposalRow): Promise<boolean> {
  const { evaluationAt } = proposal;
  const campaignId = apiId("cmp", proposal.campaignId);
  const change: EvaluationMutation = { campaignId, evaluationAt, mutation: mutationOf(proposal) };
  try {
    await rehearse(ctx, change, await lockForChange(ctx, change));
    return false;
  } catch (error) {
    if (error instanceof ApiError) return true;
    throw error;
  }
}
