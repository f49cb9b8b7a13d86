import { apiId } from "../../../../domain/ids.ts";
import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { HOUR_MS } from "../../../../platform/time/clock.ts";
import { findCampaign } from "../../../campaigns/authoring/public.ts";
import { logRun } from "../../../runs/public.ts";
import { readSafety } from "../limits/safety.ts";
import { shownStatus } from "../rules.ts";
import { lockEvaluation } from "../store.ts";
import { announceProposal } from "./announce.ts";
import { isApplied, movedSince } from "./open-proposals.ts";
import { decideProposal, findProposal, type ProposalRow } from "./proposal-store.ts";

type Within = Pick<Ctx, "db" | "projectId" | "now">;

/** What a person decides about a proposal. `forGood`: a rejection bars the same change in every later evaluation of the campaign too. */
export type ProposalVerdict = {
  status: "approved" | "rejected";
  by: string;
  reason: string | null;
  forGood: boolean;
  /** The beginning of the hash that the person has seen; null where they did not name it. */
  hashPrefix: string | null;
};

/** Why a decision cannot be made: a word for programs, and a sentence. `moved`: fields that were changed since it was proposed. */
export type Undecidable = {
  reason: "unknown" | "other_hash" | "stale" | "decided" | "too_late";
  message: string;
  moved?: readonly string[];
};

/** A decision, or why it cannot be made. */
export type ProposalDecisionResult = { proposal: ProposalRow } | { refusal: Undecidable };

const UNKNOWN = { reason: "unknown", message: "There is no such proposal in this project." } as const;
const OTHER_HASH = {
  reason: "other_hash",
  message: "The proposal has another hash than you named: look at it again.",
} as const;

function decidedAlready(proposal: ProposalRow, now: number): Undecidable {
  if (proposal.status === "pending")
    return { reason: "too_late", message: "Its time to be decided is over." };
  const by = proposal.decidedBy === null ? "" : ` by ${proposal.decidedBy}`;
  return { reason: "decided", message: `It was ${shownStatus(proposal, now)}${by} already.` };
}

/** Why a change that was proposed may not be approved any more, or null. */
async function staleness(within: Within, proposal: ProposalRow): Promise<Undecidable | null> {
  if (await isApplied(within, proposal)) {
    const message =
      "It was applied in this evaluation already, and is not applied twice: it can only be rejected.";
    return { reason: "stale", message, moved: [] };
  }
  const moved = await movedSince(within, proposal);
  if (moved === null) return UNKNOWN;
  if (moved.length === 0) return null;
  const message = "The campaign was changed since this was proposed: it can only be rejected.";
  return { reason: "stale", message, moved: moved.map(({ path }) => path) };
}

/**
 * Decides a proposal in the name of a person, with a run that records it. From then on the agent has as long again to apply it. Needs a
 * transaction. No API key can do this.
 */
export async function applyVerdict(
  within: Within,
  id: string,
  { status, by, reason, forGood, hashPrefix }: ProposalVerdict,
): Promise<ProposalDecisionResult> {
  const { db, projectId, now } = within;
  const seen = await findProposal(db, projectId, id);
  if (seen === null) return { refusal: UNKNOWN };
  // Campaign, evaluation, proposal: the order in which an agent's own changes lock them.
  const campaign = await findCampaign(db, projectId, seen.campaignId, "for update");
  await lockEvaluation(db, projectId, seen.campaignId);
  const proposal = await findProposal(db, projectId, id, "for update");
  if (campaign === null || proposal === null) return { refusal: UNKNOWN };
  if (hashPrefix !== null && !proposal.payloadHash.startsWith(hashPrefix)) return { refusal: OTHER_HASH };
  if (proposal.status !== "pending" || now >= proposal.expiresAt)
    return { refusal: decidedAlready(proposal, now) };
  const stale = status === "approved" ? await staleness(within, proposal) : null;
  if (stale !== null) return { refusal: stale };
  const { approvalHours } = await readSafety(db, projectId);
  const runId = await logRun(within, {
    kind: "approval",
    goalId: campaign.goalId,
    campaignId: campaign.id,
    input: { proposalId: apiId("prop", proposal.id), payloadHash: proposal.payloadHash },
    output: { decision: status, decidedBy: by, forGood },
    rationale: reason,
  });
  const decision = {
    status,
    reason,
    decidedBy: by,
    decidedAt: now,
    decidedRunId: runId,
    barred: forGood,
    expiresAt: now + approvalHours * HOUR_MS,
  };
  const decided = await decideProposal(db, projectId, id, decision, now);
  if (decided === null) return { refusal: decidedAlready(proposal, now) };
  await announceProposal(within, "proposal.decided", decided);
  return { proposal: decided };
}
