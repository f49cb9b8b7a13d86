import { z } from "zod";
import { pathIds } from "../../../../domain/fields.ts";
import { uuidFor } from "../../../../domain/ids.ts";
import { type Ctx, endpoint, KIB } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError, ApprovalRefusal } from "../../../../platform/http/contract/errors.ts";
import { STATUS_REASONS, withWarnings } from "../../../campaigns/authoring/public.ts";
import { findGoal } from "../../../campaigns/goals/public.ts";
import { CHANGE_REASONS } from "../../../journeys/authoring/public.ts";
import { logRun } from "../../../runs/public.ts";
import { isLeaseOf, leaseDigest } from "../leases/lease.ts";
import { changeRefusalFields, forbid, refuseEvaluation } from "../limits/refusals.ts";
import { mutationOf, readState } from "../proposals/open-proposals.ts";
import { consumeProposal, findProposal, isRejected, type ProposalRow } from "../proposals/proposal-store.ts";
import { MutateBody, Mutated } from "../schema.ts";
import { assertSplit, recordVerdicts } from "../verdicts/verdicts.ts";
import { assertMayAct, type LockedEvaluation, lockForChange, type RequestedMutation } from "./act.ts";
import { insertApplied, listApplied } from "./applied-store.ts";
import { applyMutation, assertAllowed, assertLinksAllowed } from "./apply.ts";
import { isInPlace } from "./in-place.ts";
import { runAbout } from "./run-about.ts";
import { warningsOfMutation } from "./warned.ts";

/** The proposal that a request names as its approval, locked; null where it names none. @throws ApiError not_found */
async function requireApproval(
  { db, projectId }: Ctx,
  approvalId: string | undefined,
): Promise<ProposalRow | null> {
  if (approvalId === undefined) return null;
  const proposal = await findProposal(db, projectId, uuidFor("prop", approvalId), "for update");
  if (proposal === null) throw new ApiError("not_found", "Proposal not found");
  return proposal;
}

/**
 * The change as it was applied before, under this token or where it is asked for again under the live lease; null where it was not. It is
 * not applied twice in an evaluation: people may have undone it since, and the answer must not say that it is in place.
 * @throws ApiError undone
 */
async function appliedBefore(
  ctx: Ctx,
  { digest, evaluationAt }: RequestedMutation,
  locked: LockedEvaluation,
) {
  const { campaign, evaluation, payloadHash } = locked;
  const applied = await listApplied(ctx.db, ctx.projectId, campaign.id, evaluationAt);
  const same = applied.find((each) => each.payloadHash === payloadHash);
  if (same === undefined) return null;
  const isOwn = same.leaseDigest?.equals(digest) === true;
  if (!isOwn && !isLeaseOf(evaluation, digest, ctx.now)) return null;
  if (!(await isInPlace(ctx, mutationOf(same), locked))) throw refuseEvaluation("undone");
  return same;
}

/** @throws ApiError where the approval is not one of exactly this change, to be used now */
async function assertApproves(
  ctx: Ctx,
  approval: ProposalRow,
  { payloadHash }: LockedEvaluation,
): Promise<void> {
  const state = await readState(ctx, approval);
  if (state === "pending") throw refuseEvaluation("approval_pending");
  if (approval.payloadHash !== payloadHash) throw refuseEvaluation("approval_mismatch");
  if (state === "expired" && ctx.now < approval.expiresAt) throw refuseEvaluation("approval_stale");
  if (state === "used") throw refuseEvaluation("approval_used");
  if (state === "expired") throw refuseEvaluation("approval_expired");
}

/** @throws ApiError where people have rejected the change, or have to approve it first */
async function assertApproved(
  ctx: Ctx,
  locked: LockedEvaluation,
  { approval, mustApprove }: { approval: ProposalRow | null; mustApprove: boolean },
): Promise<void> {
  const { campaign, payloadHash } = locked;
  if (await isRejected(ctx.db, ctx.projectId, campaign.id, locked))
    throw forbid("proposal_rejected", "People have rejected this change.", { payloadHash });
  if (approval !== null) return assertApproves(ctx, approval, locked);
  if (mustApprove) throw new ApprovalRefusal(payloadHash);
}

export const mutateCampaign = endpoint(
  {
    id: "mutateCampaign",
    method: "POST",
    path: "/api/v1/evaluations/{id}/mutate",
    tag: "Agent",
    summary: "Change a campaign under a lease",
    description:
      "Launches, pauses or ends it, changes its name, texts and weights, or the steps of the journey of which it is one. Where the goal or the project asks for people, and for steps always, a change needs the proposal that they have approved, which is good for exactly this change, once. A repeat is answered like the first, as long as the campaign is how the change left it: what was undone since is `undone`, and not applied twice in an evaluation.",
    keys: ["secret", "agent"],
    budget: "agent",
    tool: "An agent does this under its lease, in a loop of its own.",
    bodyLimit: 256 * KIB,
    params: z.object({ id: pathIds.campaign }),
    body: MutateBody,
    example: {
      leaseToken: "lease_5n5MhD0eV0yG3Yc1Bz6rVq2kq3u4vJ7x",
      evaluationAt: 1_790_000_000_000,
      mutation: { type: "status", action: "pause" },
    },
    result: Mutated.extend(withWarnings),
    errors: ["approval_required", "forbidden", "not_found", "conflict"],
    reasons: [
      "approval_required",
      "proposal_rejected",
      "insufficient_evidence",
      "lease_lost",
      "evaluation_mismatch",
      "loop_paused",
      "ineligible",
      "approval_pending",
      "approval_mismatch",
      "approval_used",
      "approval_expired",
      "approval_stale",
      "undone",
      "sample_ratio_mismatch",
      ...STATUS_REASONS,
      ...CHANGE_REASONS,
    ],
    refusalFields: changeRefusalFields,
  },
  async (ctx, { params, body: { leaseToken, evaluationAt, mutation, approvalId, runId } }) => {
    const { db, projectId, now } = ctx;
    const wanted: RequestedMutation = {
      campaignId: params.id,
      evaluationAt,
      mutation,
      digest: leaseDigest(leaseToken),
    };
    const locked = await lockForChange(ctx, wanted);
    const { campaign, changeable, counted, payloadHash } = locked;
    const approval = await requireApproval(ctx, approvalId);
    const before = await appliedBefore(ctx, wanted, locked);
    const warned = () => warningsOfMutation(ctx, campaign, mutation, changeable);
    if (before !== null) {
      const was = { campaignId: params.id, applied: before.mutation, status: campaign.status };
      return { ...Mutated.parse(was), ...(await warned()) };
    }
    const { safety, evaluation } = await assertMayAct(ctx, wanted, locked);
    const goal = campaign.goalId === null ? null : await findGoal(db, projectId, campaign.goalId);
    if (goal === null) throw refuseEvaluation("ineligible");
    const mustApprove =
      mutation.type === "journey" ||
      goal.approvalMode === "require_human" ||
      safety.approvalOverride === "require_human";
    await assertApproved(ctx, locked, { approval, mustApprove });
    await assertAllowed(ctx, campaign, mutation, payloadHash);
    if (approval === null) await assertLinksAllowed(ctx, campaign, mutation, payloadHash);
    if (counted !== null) {
      const about = { mutation, campaign: changeable, campaignId: campaign.id, counted, payloadHash };
      if (approval === null) await recordVerdicts(ctx, about, goal);
      assertSplit(mutation, changeable, counted);
    }
    if (approval !== null && !(await consumeProposal(db, projectId, approval.id, now)))
      throw refuseEvaluation("approval_used");
    const runUuid =
      (await runAbout(ctx, "runId", runId, campaign.id)) ??
      (await logRun(ctx, {
        kind: "mutate",
        goalId: campaign.goalId,
        campaignId: campaign.id,
        input: { evaluationAt, mutation, approvalId: approvalId ?? null },
        output: { payloadHash },
        rationale: null,
      }));
    const status = await applyMutation(ctx, locked, mutation, runUuid);
    await insertApplied(db, {
      projectId,
      campaignId: campaign.id,
      evaluationAt,
      payloadHash,
      status,
      leaseSeq: evaluation.leaseSeq,
      leaseDigest: wanted.digest,
      proposalId: approval?.id ?? null,
      runId: runUuid,
      mutation: JSON.stringify(mutation),
      appliedAt: now,
    });
    return { campaignId: params.id, applied: mutation, status, ...(await warned()) };
  },
);
