import { z } from "zod";
import { example, pathIds } from "../../../../domain/fields.ts";
import { apiId } from "../../../../domain/ids.ts";
import { type Ctx, endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { epochMs } from "../../../../platform/http/contract/fields.ts";
import { DAY_MS, SECOND_MS } from "../../../../platform/time/clock.ts";
import { listApplied } from "../changes/applied-store.ts";
import { refuseEvaluation } from "../limits/refusals.ts";
import { readSafety } from "../limits/safety.ts";
import { HostedMutation } from "../mutation.pure.ts";
import { isAwaitingDecision, isContinued, mutationOf } from "../proposals/open-proposals.ts";
import { isEligible } from "../rules.ts";
import { ClaimBody } from "../schema.ts";
import {
  countLiveLeases,
  type EvaluationRow,
  grantLease,
  type LockedCandidate,
  lockDay,
  lockEvaluation,
  payFor,
  recordProgram,
} from "../store.ts";
import { numberTreatmentsOf } from "../verdicts/verdicts.ts";
import { requireCandidate } from "./candidate.ts";
import { isLeased, leaseDigest, newLeaseToken } from "./lease.ts";

/** The evaluation of a campaign, locked, that may be claimed now. @throws ApiError conflict with the first reason against it */
async function requireDue(
  ctx: Ctx,
  candidate: LockedCandidate,
): Promise<EvaluationRow & { evaluationAt: number }> {
  const { db, projectId, now } = ctx;
  const evaluation = await lockEvaluation(db, projectId, candidate.id);
  const evaluationAt = evaluation?.evaluationAt ?? null;
  if (evaluation === null || evaluationAt === null || evaluationAt > now) throw refuseEvaluation("not_due");
  if (!isEligible(candidate, now)) throw refuseEvaluation("ineligible");
  if (isLeased(evaluation, now)) throw refuseEvaluation("leased");
  if (await isAwaitingDecision(ctx, evaluation)) throw refuseEvaluation("awaiting_decision");
  return { ...evaluation, evaluationAt };
}

/** Checks the bounds of the project, and pays for the claim. @throws ApiError conflict where a bound is reached */
async function payWithinBounds({ db, projectId, now, isLent }: Ctx, isContinuation: boolean): Promise<void> {
  const { loopPaused, maxRunsPerDay, maxConcurrentCampaigns } = await readSafety(db, projectId);
  if (loopPaused) throw refuseEvaluation("loop_paused");
  const day = Math.floor(now / DAY_MS);
  const granted = await lockDay(db, projectId, day);
  if (!isContinuation && granted >= maxRunsPerDay) throw refuseEvaluation("budget_spent");
  if ((await countLiveLeases(db, projectId, now)) >= maxConcurrentCampaigns)
    throw refuseEvaluation("concurrency");
  if (!isContinuation) await payFor(db, projectId, day);
  if (isLent !== true) await recordProgram(db, projectId, day, now);
}

export const claimEvaluation = endpoint(
  {
    id: "claimEvaluation",
    method: "POST",
    path: "/api/v1/evaluations/{id}/claim",
    tag: "Agent",
    summary: "Take the lease on an evaluation that is due",
    description:
      "Costs one of the day's runs, unless people have decided a proposal of this evaluation. A refusal costs nothing. A lease cannot be renewed: after its time another one may claim, and this token is worth nothing.",
    keys: ["secret", "agent"],
    budget: "agent",
    tool: "An agent does this under its lease, in a loop of its own.",
    params: z.object({ id: pathIds.campaign }),
    body: ClaimBody,
    example: { leaseSeconds: 300 },
    result: z.object({
      leaseToken: z.string().max(128).meta({
        description: "What `mutate`, `proposals` and `complete` want to see.",
        example: "lease_5n5MhD0eV0yG3Yc1Bz6rVq2kq3u4vJ7x",
      }),
      nextEvaluationAt: epochMs.describe("The `evaluationAt` of the calls that follow, epoch milliseconds."),
      decidedContinuation: z
        .boolean()
        .describe(
          "Whether people have decided a proposal of this evaluation since the last claim, or let it expire.",
        ),
      applied: z
        .array(
          z.object({
            payloadHash: z.string().length(64).describe("The hash of the change."),
            mutation: HostedMutation.describe("The change."),
            runId: z
              .string()
              .max(128)
              .meta({ description: "The run in which the agent says why.", example: example.run }),
            appliedAt: epochMs,
          }),
        )
        .max(1_000)
        .describe("What was applied in this evaluation already, by whoever had the lease before."),
    }),
    errors: ["not_found", "conflict"],
    reasons: [
      "not_due",
      "ineligible",
      "leased",
      "awaiting_decision",
      "loop_paused",
      "budget_spent",
      "concurrency",
    ],
  },
  async (ctx, { params, body: { leaseSeconds } }) => {
    const { db, projectId, now } = ctx;
    // Treatments are numbered goal by goal, so claims under one goal wait for each other.
    const candidate = await requireCandidate(ctx, params.id, "for no key update");
    const evaluation = await requireDue(ctx, candidate);
    const isContinuation = await isContinued(ctx, evaluation);
    await numberTreatmentsOf(ctx, candidate);
    await payWithinBounds(ctx, isContinuation);
    const leaseToken = newLeaseToken();
    const grant = {
      digest: leaseDigest(leaseToken),
      expiresAt: now + leaseSeconds * SECOND_MS,
      isContinuation,
      now,
    };
    if (!(await grantLease(db, evaluation, grant))) throw refuseEvaluation("leased");
    const applied = await listApplied(db, projectId, candidate.id, evaluation.evaluationAt);
    return {
      leaseToken,
      nextEvaluationAt: evaluation.evaluationAt,
      decidedContinuation: isContinuation,
      applied: applied.map((each) => ({
        payloadHash: each.payloadHash,
        mutation: mutationOf(each),
        runId: apiId("run", each.runId),
        appliedAt: each.appliedAt,
      })),
    };
  },
);
