import {
  type CampaignStatus,
  type DeliveryWindow,
  effectiveStatus,
  placeInWindow,
} from "../../campaigns/authoring/rules.ts";

/** The least time from a completed evaluation to the next one, in milliseconds. */
export const LEAST_PAUSE_MS = 60_000;

/** A campaign with the status of its goal, as evaluations see it; `goalStatus` is null without a goal. Windows in epoch milliseconds. */
export type EvaluationCandidate = DeliveryWindow & {
  status: CampaignStatus;
  goalStatus: "active" | "archived" | null;
};

/** Whether an agent may look after a campaign now: under an active goal, a draft or launched, not over and not before its window. */
export function isEligible(candidate: EvaluationCandidate, now: number): boolean {
  const status = effectiveStatus(candidate.status, candidate, now);
  return candidate.goalStatus === "active" && ["draft", "running", "paused"].includes(status);
}

/** Whether an agent must go on looking after it: its evaluation may not be concluded. */
export function mustGoOn(candidate: EvaluationCandidate, now: number): boolean {
  const status = effectiveStatus(candidate.status, candidate, now);
  return candidate.goalStatus === "active" && ["running", "paused", "scheduled"].includes(status);
}

/** Why an evaluation cannot be planned for this instant, or null. */
export function scheduleFault(candidate: EvaluationCandidate, at: number, now: number): string | null {
  const status = effectiveStatus(candidate.status, candidate, now);
  if (candidate.goalStatus === null) return "nextEvaluationAt needs a campaign with a goal";
  if (candidate.goalStatus === "archived")
    return "nextEvaluationAt needs an active goal: this one is archived";
  if (status === "ended" || status === "expired")
    return `nextEvaluationAt needs a campaign that is not over: this one is ${status}`;
  if (placeInWindow(candidate, at) !== "open")
    return "nextEvaluationAt must lie within the campaign's delivery window";
  return null;
}

/** Why a completed evaluation cannot be followed by one at this instant, or null. */
export function nextFault(candidate: EvaluationCandidate, at: number, now: number): string | null {
  if (at < now + LEAST_PAUSE_MS) return "nextEvaluationAt must be at least 60 seconds ahead";
  return scheduleFault(candidate, at, now);
}

/** Where an evaluation stands for people who look: who has it, or what it waits for. Instants in epoch milliseconds. */
export function evaluationPlace(
  {
    evaluationAt,
    leasedUntil,
    proposalId,
    isDue,
  }: { evaluationAt: number | null; leasedUntil: number | null; proposalId: string | null; isDue: boolean },
  now: number,
): "planned" | "due" | "evaluating" | "awaiting_decision" | "resting" {
  if (leasedUntil !== null && leasedUntil > now) return "evaluating";
  if (proposalId !== null) return "awaiting_decision";
  if (isDue) return "due";
  return evaluationAt !== null && evaluationAt > now ? "planned" : "resting";
}

/** A proposal as it is kept. Instants in epoch milliseconds. */
export type ProposalLife = {
  status: "pending" | "approved" | "rejected";
  expiresAt: number;
  consumedAt: number | null;
  /** When another proposal of the same change took its place. */
  supersededAt: number | null;
};

/**
 * What a proposal is good for now. People have until `expiresAt`, and so does the agent once they have approved.
 * @param isStale whether a field that it depends on was changed since
 */
export function proposalState(
  { status, expiresAt, consumedAt, supersededAt }: ProposalLife,
  isStale: boolean,
  now: number,
): "pending" | "approved" | "used" | "rejected" | "expired" {
  if (status === "rejected") return "rejected";
  if (consumedAt !== null) return "used";
  if (supersededAt !== null || now >= expiresAt || (status === "approved" && isStale)) return "expired";
  return status;
}

/** The status to show: what waited too long for people reads rejected. */
export const shownStatus = (
  { status, expiresAt }: Pick<ProposalLife, "status" | "expiresAt">,
  now: number,
): ProposalLife["status"] => (status === "pending" && now >= expiresAt ? "rejected" : status);

/**
 * How small the chance of a false verdict must be for the t-th treatment of a goal, after `verdicts` verdicts: e-LOND, which keeps the
 * expected share of false verdicts below `budget`, however the campaigns depend on each other (Xu and Ramdas 2024).
 */
export const alphaOf = (budget: number, t: number, verdicts: number): number =>
  (budget * (verdicts + 1)) / (t * (t + 1));
