import { apiId } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { isSameJson } from "../../../../platform/text/canonical.ts";
import { type CampaignRow, findCampaign, listVariants } from "../../../campaigns/authoring/public.ts";
import { findGoal } from "../../../campaigns/goals/public.ts";
import { findJourney } from "../../../journeys/authoring/public.ts";
import { type AffectedFields, affectedFields, type Changeable } from "../changes/affected.pure.ts";
import { listApplied } from "../changes/applied-store.ts";
import type { HostedMutation } from "../mutation.pure.ts";
import { proposalState } from "../rules.ts";
import type { ProposalReview } from "../schema.ts";
import { type EvaluationRow, findEvaluation, hasJustProposed } from "../store.ts";
import { listOpenProposals, type ProposalRow } from "./proposal-store.ts";
import { changesBetween } from "./review.pure.ts";

type Within = { db: Db; projectId: string; now: number };

/** A campaign as proposals see it. */
export async function readChangeable(
  { db, projectId }: Pick<Within, "db" | "projectId">,
  campaign: CampaignRow,
): Promise<Changeable> {
  const { goalId, journeyId } = campaign;
  const variants = await listVariants(db, projectId, campaign.id);
  return {
    ...campaign,
    goalId: goalId === null ? null : apiId("goal", goalId),
    goal: goalId === null ? null : await findGoal(db, projectId, goalId),
    journey: journeyId === null ? null : await findJourney(db, projectId, journeyId),
    variants: variants.map((variant) => ({ ...variant, id: apiId("var", variant.id) })),
  };
}

/** The fields that a proposal depends on, as they were: only objects made by `affectedFields` are stored. */
export const proposalBase = ({ base }: Pick<ProposalRow, "base">): AffectedFields => base as AffectedFields;

/** The mutation of a proposal, or of what was applied: only checked ones are stored. */
export const mutationOf = ({ mutation }: { mutation: unknown }): HostedMutation => mutation as HostedMutation;

/** What of a campaign was changed since a proposal was made; null where the campaign is gone. */
export type Moved = ProposalReview["changes"] | null;

/**
 * The fields that a proposal depends on and that were changed since it was made: `before` as it was then, `after` as it is now. Null where
 * the campaign is gone.
 */
export async function movedSince(within: Within, proposal: ProposalRow): Promise<Moved> {
  const campaign = await findCampaign(within.db, within.projectId, proposal.campaignId);
  if (campaign === null) return null;
  const now = affectedFields(mutationOf(proposal), await readChangeable(within, campaign));
  // The same object may have its fields in another order where it was stored.
  const moved = ({ before, after }: { before: unknown; after: unknown }): boolean =>
    !isSameJson(before, after);
  return changesBetween(proposalBase(proposal), now).filter(moved);
}

/** Whether a field that a proposal depends on was changed since. `known`: what `movedSince` answered at this instant. */
export async function isStale(within: Within, proposal: ProposalRow, known?: Moved): Promise<boolean> {
  const moved = known === undefined ? await movedSince(within, proposal) : known;
  return moved === null || moved.length > 0;
}

/** Whether the evaluation of a proposal is over: it was completed although the change was approved, because it would have been refused. */
async function isOver(
  { db, projectId }: Within,
  { campaignId, evaluationAt }: ProposalRow,
): Promise<boolean> {
  const evaluation = await findEvaluation(db, projectId, campaignId);
  return evaluation?.evaluationAt !== evaluationAt;
}

/** Whether the change of a proposal was applied in its evaluation, with this proposal or without it: it is not applied there again. */
export async function isApplied(
  { db, projectId }: Pick<Within, "db" | "projectId">,
  { campaignId, evaluationAt, payloadHash }: Pick<ProposalRow, "campaignId" | "evaluationAt" | "payloadHash">,
): Promise<boolean> {
  const applied = await listApplied(db, projectId, campaignId, evaluationAt);
  return applied.some((each) => each.payloadHash === payloadHash);
}

/** What a proposal is good for now. More is read only where it matters: once people have approved, until that is used. */
export async function readState(
  within: Within,
  proposal: ProposalRow,
  known?: Moved,
): Promise<ReturnType<typeof proposalState>> {
  const unchanged = proposalState(proposal, false, within.now);
  if (unchanged !== "approved") return unchanged;
  const isLapsed =
    (await isOver(within, proposal)) ||
    (await isApplied(within, proposal)) ||
    (await isStale(within, proposal, known));
  return isLapsed ? "expired" : "approved";
}

/** The proposals of a campaign that people may still approve, or that they approved and the agent may still apply. Newest first. */
export async function listLive(within: Within, campaignId: string): Promise<ProposalRow[]> {
  const { db, projectId } = within;
  const evaluation = await findEvaluation(db, projectId, campaignId);
  const open = await listOpenProposals(db, projectId, campaignId, evaluation?.evaluationAt ?? null);
  const live: ProposalRow[] = [];
  for (const proposal of open) {
    const state = await readState(within, proposal);
    if (state === "approved" || (state === "pending" && !(await isStale(within, proposal))))
      live.push(proposal);
  }
  return live;
}

/** Whether a proposal of this campaign waits for people. */
export async function isAwaitingDecision(within: Within, evaluation: EvaluationRow): Promise<boolean> {
  const { db, projectId, now } = within;
  const open = await listOpenProposals(db, projectId, evaluation.campaignId, evaluation.evaluationAt);
  return open.some((proposal) => proposalState(proposal, false, now) === "pending");
}

/**
 * Whether people have decided a proposal of this evaluation which was not applied: then going on with it costs nothing, once. Who
 * takes over from a program that went on and did not come to an end pays, so that crashes end at the day's budget.
 */
export async function isContinued(within: Within, evaluation: EvaluationRow): Promise<boolean> {
  const { db, projectId, now } = within;
  if (!(await hasJustProposed(db, evaluation))) return false;
  const open = await listOpenProposals(db, projectId, evaluation.campaignId, evaluation.evaluationAt);
  return open.some(
    (proposal) =>
      proposal.evaluationAt === evaluation.evaluationAt &&
      proposal.consumedAt === null &&
      proposalState(proposal, false, now) !== "pending",
  );
}

/**
 * The proposal of this evaluation that people have approved and that can still be applied, or null. What was applied without it is not
 * waited for.
 */
export async function approvedUnapplied(
  within: Within,
  evaluation: EvaluationRow,
): Promise<ProposalRow | null> {
  const { db, projectId } = within;
  const open = await listOpenProposals(db, projectId, evaluation.campaignId, evaluation.evaluationAt);
  for (const proposal of open) if ((await readState(within, proposal)) === "approved") return proposal;
  return null;
}
