import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { launchRefusalFields } from "../../../campaigns/authoring/public.ts";
import type { GuardrailViolation } from "../../../campaigns/goals/public.ts";
import { journeyRefusalFields } from "../../../journeys/authoring/public.ts";

/** Why an evaluation cannot go on now: a word for programs, and what to do. */
const CONFLICTS = {
  not_due: "This campaign is not due for an evaluation yet.",
  ineligible:
    "This campaign is not evaluated now: it needs an active goal, and to be a draft, running or paused.",
  leased: "Another one is evaluating this campaign: wait for the lease to end.",
  awaiting_decision: "A proposal for this campaign waits for people to decide.",
  decision_unapplied: "An approved proposal was not applied yet: claim the evaluation and apply it first.",
  loop_paused: "The agent's loop is paused in the settings of the project.",
  budget_spent: "The runs of this UTC day are used up: safety.maxRunsPerDay.",
  concurrency: "As many campaigns as safety.maxConcurrentCampaigns allows are being evaluated.",
  lease_lost: "This lease is not the campaign's any more: claim the evaluation again.",
  evaluation_mismatch: "evaluationAt is not the instant that the claim answered.",
  approved_unapplied: "An approved proposal has to be applied first.",
  still_eligible: "This campaign is still looked after: say when to evaluate it next.",
  approval_pending: "People have not decided this proposal yet.",
  approval_mismatch: "approvalId is the proposal of another change.",
  approval_used: "This approval was used already.",
  approval_expired: "This approval is too old, or another proposal took its place: propose the change again.",
  approval_stale: "The campaign was changed since this was proposed: propose the change again.",
  applied_already:
    "This change was applied in this evaluation: complete, and look again in the next one. Nobody is asked twice.",
  undone:
    "This change was applied in this evaluation, and is not how the campaign is any more: look again in the next evaluation.",
  sample_ratio_mismatch:
    "Users are not split as the weights say, so no variant may be chosen: find out why first.",
} as const;

export type ConflictReason = keyof typeof CONFLICTS;

/** A refusal with 409: `{error, reason}`. */
export const refuseEvaluation = (reason: ConflictReason): ApiError =>
  new ApiError("conflict", CONFLICTS[reason], { fields: { reason } });

/** Refusals of a change by what people or the goal have decided: 403 `{error, reason, approvalRequired: false, payloadHash}`. */
export const forbid = (
  reason: "proposal_rejected" | "guardrail_violated" | "insufficient_evidence",
  message: string,
  fields: Readonly<Record<string, unknown>>,
): ApiError => new ApiError("forbidden", message, { fields: { ...fields, reason, approvalRequired: false } });

/** What a guardrail of the goal refuses, as an agent sees it: with 403. */
export const forbidden = ({ message, violation }: GuardrailViolation, payloadHash: string): ApiError =>
  forbid("guardrail_violated", message, { ...violation, payloadHash });

/** The further fields of refusals of a change, for the document. */
export const changeRefusalFields = {
  ...launchRefusalFields,
  ...journeyRefusalFields,
  approvalRequired: { type: "boolean", description: "Whether a person's approval is what is missing." },
  payloadHash: {
    type: "string",
    maxLength: 64,
    description: "SHA-256 of the canonical JSON (RFC 8785) of campaignId, evaluationAt and mutation.",
  },
  variantId: { type: "string", maxLength: 128, description: "The variant about which too little is known." },
  eValueNeeded: {
    type: "number",
    description:
      "The e-value that its comparison needs. A comparison that has begun since the claim gets its place in the goal's order at the next one: then about so much.",
  },
} as const;
