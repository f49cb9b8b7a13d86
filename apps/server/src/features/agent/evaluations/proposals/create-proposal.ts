import { z } from "zod";
import { type Ctx, endpoint, KIB, Replay } from "../../../../platform/http/contract/endpoint.ts";
import { HOUR_MS } from "../../../../platform/time/clock.ts";
import { newUuid } from "../../../../platform/uuid.ts";
import { STATUS_REASONS, withWarnings } from "../../../campaigns/authoring/public.ts";
import { CHANGE_REASONS } from "../../../journeys/authoring/public.ts";
import {
  assertMayAct,
  type LockedEvaluation,
  lockForChange,
  type RequestedMutation,
} from "../changes/act.ts";
import { affectedFields } from "../changes/affected.pure.ts";
import { runAbout } from "../changes/run-about.ts";
import { warningsOfMutation } from "../changes/warned.ts";
import { isLeaseOf, leaseDigest } from "../leases/lease.ts";
import { changeRefusalFields, forbid, refuseEvaluation } from "../limits/refusals.ts";
import { ProposeBody, Proposed } from "../schema.ts";
import { endLease } from "../store.ts";
import { announceProposal } from "./announce.ts";
import { approvedUnapplied, isApplied, isAwaitingDecision, readState } from "./open-proposals.ts";
import {
  insertProposal,
  isRejected,
  listOpenProposals,
  type ProposalRow,
  supersedeProposal,
} from "./proposal-store.ts";
import { rehearse } from "./rehearse.ts";
import { viewProposal } from "./view.ts";

/** The same change, proposed before in the current evaluation; null where there is none. */
async function proposedBefore(
  { db, projectId }: Ctx,
  { evaluationAt }: RequestedMutation,
  { campaign, evaluation, payloadHash }: LockedEvaluation,
): Promise<ProposalRow | null> {
  if (evaluation?.evaluationAt !== evaluationAt) return null;
  const open = await listOpenProposals(db, projectId, campaign.id, evaluationAt);
  return open.find((each) => each.payloadHash === payloadHash) ?? null;
}

/** Whether who has the lease may propose a change anew: people did not decide it in time, or what they read was changed since. */
const isMadeAnew = async (
  ctx: Ctx,
  known: ProposalRow,
  { digest }: RequestedMutation,
  { evaluation }: LockedEvaluation,
) => isLeaseOf(evaluation, digest, ctx.now) && (await readState(ctx, known)) === "expired";

/** Answers what was found, with the journey before and after where its steps would change. @throws ApiError where people need not, or must not, be asked about this change now */
async function assertMayPropose(ctx: Ctx, wanted: RequestedMutation, locked: LockedEvaluation) {
  const { campaign, payloadHash } = locked;
  const { safety, evaluation } = await assertMayAct(ctx, wanted, locked);
  if (await isRejected(ctx.db, ctx.projectId, campaign.id, locked))
    throw forbid("proposal_rejected", "People have rejected this change.", { payloadHash });
  const { evaluationAt } = wanted;
  if (await isApplied(ctx, { campaignId: campaign.id, evaluationAt, payloadHash }))
    throw refuseEvaluation("applied_already");
  if (await isAwaitingDecision(ctx, evaluation)) throw refuseEvaluation("awaiting_decision");
  if ((await approvedUnapplied(ctx, evaluation)) !== null) throw refuseEvaluation("approved_unapplied");
  return { safety, evaluation, change: await rehearse(ctx, wanted, locked) };
}

export const createProposal = endpoint(
  {
    id: "createProposal",
    method: "POST",
    path: "/api/v1/agent/proposals",
    tag: "Agent",
    summary: "Ask people to approve a change",
    description:
      "The change is tried and taken back first, so that people are only asked about what could be applied. The lease ends; once people have decided, the evaluation can be claimed again. The same change of the same evaluation is answered with the proposal that there is, and 200; once that has expired, another one takes its place.",
    keys: ["secret", "agent"],
    budget: "agent",
    tool: "An agent does this under its lease, in a loop of its own.",
    bodyLimit: 256 * KIB,
    body: ProposeBody,
    example: {
      campaignId: "cmp_019bc186-de00-730f-8ef3-c275ce72ed99",
      evaluationAt: 1_790_000_000_000,
      mutation: { type: "status", action: "pause" },
      leaseToken: "lease_5n5MhD0eV0yG3Yc1Bz6rVq2kq3u4vJ7x",
    },
    status: 201,
    replays: true,
    result: z.object({ ...Proposed, ...withWarnings }),
    errors: ["forbidden", "not_found", "conflict"],
    reasons: [
      "proposal_rejected",
      "lease_lost",
      "evaluation_mismatch",
      "loop_paused",
      "ineligible",
      "applied_already",
      "awaiting_decision",
      "approved_unapplied",
      "sample_ratio_mismatch",
      ...STATUS_REASONS,
      ...CHANGE_REASONS,
    ],
    refusalFields: changeRefusalFields,
  },
  async (ctx, { body: { leaseToken, proposedRunId, ...proposed } }) => {
    const { db, projectId, now } = ctx;
    const wanted: RequestedMutation = { ...proposed, digest: leaseDigest(leaseToken) };
    const locked = await lockForChange(ctx, wanted);
    const { campaign, changeable, payloadHash, mutationHash } = locked;
    const warned = () => warningsOfMutation(ctx, campaign, wanted.mutation, changeable);
    const known = await proposedBefore(ctx, wanted, locked);
    if (known !== null && !(await isMadeAnew(ctx, known, wanted, locked))) {
      const proposal = await viewProposal(ctx, known);
      const leaseHeld = isLeaseOf(locked.evaluation, wanted.digest, now);
      const awaitingDecision = proposal.state === "pending";
      return new Replay({ proposal, awaitingDecision, leaseHeld, ...(await warned()) });
    }
    const { safety, evaluation, change } = await assertMayPropose(ctx, wanted, locked);
    if (known !== null) await supersedeProposal(db, projectId, known.id, now);
    const proposal = await insertProposal(db, {
      id: newUuid(now),
      projectId,
      campaignId: campaign.id,
      payloadHash,
      mutationHash,
      evaluationAt: wanted.evaluationAt,
      mutation: JSON.stringify(wanted.mutation),
      base: JSON.stringify(affectedFields(wanted.mutation, changeable)),
      journey: change === null ? null : JSON.stringify(change),
      proposedRunId: await runAbout(ctx, "proposedRunId", proposedRunId, campaign.id),
      createdAt: now,
      expiresAt: now + safety.approvalHours * HOUR_MS,
    });
    await announceProposal(ctx, "proposal.created", proposal);
    const ending = { digest: wanted.digest, next: wanted.evaluationAt, endedBy: "proposed", now } as const;
    if (!(await endLease(db, evaluation, ending))) throw refuseEvaluation("lease_lost");
    const made = await viewProposal(ctx, proposal);
    return { proposal: made, awaitingDecision: true, leaseHeld: false, ...(await warned()) };
  },
);
