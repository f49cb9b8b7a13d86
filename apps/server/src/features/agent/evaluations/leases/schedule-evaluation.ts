import { z } from "zod";
import { answerIds, pathIds } from "../../../../domain/fields.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { epochMs, instant } from "../../../../platform/http/contract/fields.ts";
import { refuseEvaluation } from "../limits/refusals.ts";
import { approvedUnapplied, isAwaitingDecision } from "../proposals/open-proposals.ts";
import { scheduleFault } from "../rules.ts";
import { lockEvaluation, planEvaluation } from "../store.ts";
import { requireCandidate } from "./candidate.ts";
import { isLeased } from "./lease.ts";

export const scheduleEvaluation = endpoint(
  {
    id: "scheduleEvaluation",
    method: "PUT",
    path: "/api/v1/evaluations/{id}",
    audit: "set when an agent evaluates a campaign",
    tag: "Agent",
    summary: "Say when an agent evaluates a campaign next",
    description: "The campaign needs an active goal. A further call moves the instant.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "Agents act within what the goal allows them.",
    budget: "agent",
    tool: "It wakes the loop of an agent, which has a lease of its own.",
    params: z.object({ id: pathIds.campaign }),
    body: z.object({ nextEvaluationAt: instant }),
    example: { nextEvaluationAt: 1_790_000_000_000 },
    result: z.object({ campaignId: answerIds.campaign, nextEvaluationAt: epochMs }),
    errors: ["not_found", "conflict"],
    reasons: ["leased", "awaiting_decision", "decision_unapplied"],
  },
  async (ctx, { params, body: { nextEvaluationAt } }) => {
    const { db, projectId, now } = ctx;
    const candidate = await requireCandidate(ctx, params.id);
    const fault = scheduleFault(candidate, nextEvaluationAt, now);
    if (fault !== null) throw new ApiError("invalid_request", fault);
    const evaluation = await lockEvaluation(db, projectId, candidate.id);
    if (evaluation !== null) {
      if (isLeased(evaluation, now)) throw refuseEvaluation("leased");
      if (await isAwaitingDecision(ctx, evaluation)) throw refuseEvaluation("awaiting_decision");
      if ((await approvedUnapplied(ctx, evaluation)) !== null) throw refuseEvaluation("decision_unapplied");
    }
    if (!(await planEvaluation(db, projectId, candidate.id, nextEvaluationAt, now)))
      throw refuseEvaluation("leased");
    return { campaignId: params.id, nextEvaluationAt };
  },
);
