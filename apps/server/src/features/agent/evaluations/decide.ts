import { apiId } from "../../../domain/ids.ts";
import { HOUR_MS } from "../../../platform/clock.ts";
import type { Ctx } from "../../../platform/http/endpoint.ts";
import { findCampaign } from "../../campaigns/authoring/public.ts";
import { logRun } from "../../runs/public.ts";
import { isStale } from "./open-proposals.ts";
import { decideProposal, findProposal, type ProposalRow } from "./proposal-store.ts";
import { shownStatus } from "./rules.ts";
import { readSafety } from "./safety.ts";
import { lockEvaluation } from "./store.ts";

/** What a person decides about a proposal. `forGood`: a rejection bars the same change in every later evaluation of the campaign too. */
export type Verdict = {
  status: "approved" | "rejected";
  by: string;
  reason: string | null;
  forGood: boolean;
  /** The beginning of the hash that the person has seen; null where they did not name it. */
  hashPrefix: string | null;
};

/** A decision, or why it cannot be made. */
export type Decided = { proposal: ProposalRow } | { refusal: string };

const REFUSALS = {
  unknown: "There is no such proposal in this project.",
  hash: "The proposal has another hash than you named: look at it again.",
  stale: "The campaign was changed since this was proposed: it can only be rejected.",
} as const;

const decidedAlready = (proposal: ProposalRow, now: number): string => {
  const by = proposal.decidedBy === null ? "" : ` by ${proposal.decidedBy}`;
  const shown = shownStatus(proposal, now);
  return proposal.status === "pending" ? "Its time to be decided is over." : `It was ${shown}${by} already.`;
};

/**
 * Decides a proposal in the name of a person, with a run that records it. From then on the agent has as long again to apply it. Needs a
 * transaction. No API key can do this.
 */
export async function decide(
  within: Pick<Ctx, "db" | "projectId" | "now">,
  id: string,
  { status, by, reason, forGood, hashPrefix }: Verdict,
): Promise<Decided> {
  const { db, projectId, now } = within;
  const seen = await findProposal(db, projectId, id);
  if (seen === null) return { refusal: REFUSALS.unknown };
  // Campaign, evaluation, proposal: the order in which an agent's own changes lock them.
  const campaign = await findCampaign(db, projectId, seen.campaignId, "for update");
  await lockEvaluation(db, projectId, seen.campaignId);
  const proposal = await findProposal(db, projectId, id, "for update");
  if (campaign === null || proposal === null) return { refusal: REFUSALS.unknown };
  if (hashPrefix !== null && !proposal.payloadHash.startsWith(hashPrefix)) return { refusal: REFUSALS.hash };
  if (proposal.status !== "pending" || now >= proposal.expiresAt)
    return { refusal: decidedAlready(proposal, now) };
  if (status === "approved" && (await isStale(within, proposal))) return { refusal: REFUSALS.stale };
  const { approvalHours } = await readSafety(db, projectId);
  const runId = await logRun(within, {
    ...{ kind: "approval", goalId: campaign.goalId, campaignId: campaign.id },
    input: { proposalId: apiId("prop", proposal.id), payloadHash: proposal.payloadHash },
    output: { decision: status, decidedBy: by, forGood },
    rationale: reason,
  });
  const decision = {
    ...{ status, reason, decidedBy: by, decidedAt: now, decidedRunId: runId, barred: forGood },
    expiresAt: now + approvalHours * HOUR_MS,
  };
  const decided = await decideProposal(db, projectId, id, decision, now);
  return decided === null ? { refusal: decidedAlready(proposal, now) } : { proposal: decided };
}
