import { z } from "zod";
import { pathIds } from "../../../../domain/fields.ts";
import { uuidFor } from "../../../../domain/ids.ts";
import { type Ctx, endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { epochMs } from "../../../../platform/http/contract/fields.ts";
import { refuseEvaluation } from "../limits/refusals.ts";
import { approvedUnapplied } from "../proposals/open-proposals.ts";
import { wouldBeRefused } from "../proposals/rehearse.ts";
import { mustGoOn, nextFault } from "../rules.ts";
import { CompleteBody } from "../schema.ts";
import { endLease, findEvaluation, lockEvaluation } from "../store.ts";
import { requireCandidate } from "./candidate.ts";
import { isLeaseOf, leaseDigest } from "./lease.ts";

/**
 * The proposal of this evaluation that people approved, where applying it would be refused now. Without it the evaluation may end: else
 * agents would be refused again and again, and use up the runs of each day, until the approval expires. Called before anything is locked, because it locks more than completing does.
 */
async function findRefusedApproval(ctx: Ctx, campaignId: string): Promise<string | null> {
  const evaluation = await findEvaluation(ctx.db, ctx.projectId, uuidFor("cmp", campaignId));
  const approved = evaluation === null ? null : await approvedUnapplied(ctx, evaluation);
  return approved !== null && (await wouldBeRefused(ctx, approved)) ? approved.id : null;
}

export const completeEvaluation = endpoint(
  {
    id: "completeEvaluation",
    method: "POST",
    path: "/api/v1/evaluations/{id}/complete",
    tag: "Agent",
    summary: "Give the lease back, and say when to look again",
    description:
      "With null the campaign is not evaluated again, and goes on delivering: only once it is over, or its goal is archived. Works while the loop is paused.",
    keys: ["secret", "agent"],
    budget: "agent",
    tool: "An agent does this under its lease, in a loop of its own.",
    params: z.object({ id: pathIds.campaign }),
    body: CompleteBody,
    example: { leaseToken: "lease_5n5MhD0eV0yG3Yc1Bz6rVq2kq3u4vJ7x", nextEvaluationAt: 1_790_086_400_000 },
    result: z.object({
      concluded: z.boolean().describe("Whether the campaign is not evaluated again."),
      nextEvaluationAt: epochMs
        .nullable()
        .describe("When it is evaluated next, epoch milliseconds; null: not again."),
    }),
    errors: ["not_found", "conflict"],
    reasons: ["lease_lost", "approved_unapplied", "still_eligible"],
  },
  async (ctx, { params, body: { leaseToken, nextEvaluationAt } }) => {
    const { db, projectId, now } = ctx;
    const digest = leaseDigest(leaseToken);
    const refusedApproval = await findRefusedApproval(ctx, params.id);
    const candidate = await requireCandidate(ctx, params.id);
    const evaluation = await lockEvaluation(db, projectId, candidate.id);
    if (evaluation === null || !isLeaseOf(evaluation, digest, now)) throw refuseEvaluation("lease_lost");
    const fault = nextEvaluationAt === null ? null : nextFault(candidate, nextEvaluationAt, now);
    if (fault !== null) throw new ApiError("invalid_request", fault);
    const approved = await approvedUnapplied(ctx, evaluation);
    if (approved !== null && approved.id !== refusedApproval) throw refuseEvaluation("approved_unapplied");
    if (nextEvaluationAt === null && mustGoOn(candidate, now)) throw refuseEvaluation("still_eligible");
    const ending = { digest, next: nextEvaluationAt, endedBy: "completed", now } as const;
    if (!(await endLease(db, evaluation, ending))) throw refuseEvaluation("lease_lost");
    return { concluded: nextEvaluationAt === null, nextEvaluationAt };
  },
);
