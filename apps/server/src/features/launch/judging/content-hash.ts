import { uuidFor } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { canonicalHash } from "../../../platform/text/canonical.ts";
import { viewCampaignDetail } from "../../campaigns/authoring/public.ts";
import { onceIfSet, topicIfSet, visitorsIfMet } from "../../campaigns/authoring/rules.ts";
import type { CampaignDetail } from "../../campaigns/authoring/schema.ts";
import { timingIfSet } from "../../campaigns/authoring/timing.pure.ts";
import { findGoal } from "../../campaigns/goals/public.ts";
import type { Goal } from "../../campaigns/goals/schema.ts";

/** SHA-256 of the canonical JSON (RFC 8785) of what users read and who gets it: `{name, channel, audience, pages, variants}`, and `visitors` where it is for visitors. */
export function contentHashOf(campaign: CampaignDetail): string {
  const { name, channel, audience, visitors, pages } = campaign;
  const variants = campaign.variants.map(({ id, name: called, weight, isControl, content }) => ({
    id,
    name: called,
    weight,
    isControl,
    content,
  }));
  return canonicalHash({ name, channel, audience, pages, variants, ...visitorsIfMet({ visitors }) });
}

/** What a goal says about a campaign that launches under it, beside the limits that are asked at each launch. */
type GoalOfApproval = Pick<Goal, "targetEvent" | "attributionDays" | "holdoutPercent"> | null;

/** The revision of approvals that were given while they covered neither the goal, nor the delivery window, nor the push settings. */
export const formerApprovalRevisionOf = (campaign: CampaignDetail): string =>
  canonicalHash({ contentHash: contentHashOf(campaign), declaration: campaign.sourceChanges.revision });

/**
 * What a person sees before they allow a campaign to launch by itself, as a hash: what users read, who gets it and when, what is counted
 * of it, and what it announces. `goal` is the campaign's.
 */
export function approvalRevisionOf(campaign: CampaignDetail, goal: GoalOfApproval): string {
  const { goalId, deliverFrom, deliverUntil, once, push, sourceChanges, topicId } = campaign;
  const { sendTime, priority, patienceHours, urgent } = campaign;
  const { targetEvent, attributionDays, holdoutPercent } = goal ?? {};
  return canonicalHash({
    contentHash: contentHashOf(campaign),
    deliverFrom,
    deliverUntil,
    push,
    declaration: sourceChanges.revision,
    ...onceIfSet({ once }),
    ...topicIfSet({ topicId }),
    ...timingIfSet({ sendTime, priority, patienceHours, urgent }),
    goal: goal === null ? null : { goalId, targetEvent, attributionDays, holdoutPercent },
  });
}

/** What a person decides about who allows a campaign to launch by itself now. Needs one instant, or the campaign locked. */
export async function readApprovalRevision(
  db: Db,
  projectId: string,
  campaign: CampaignDetail,
): Promise<string> {
  const goal =
    campaign.goalId === null ? null : await findGoal(db, projectId, uuidFor("goal", campaign.goalId));
  return approvalRevisionOf(campaign, goal);
}

/** A campaign (UUID) that is there, as the API shows it. */
export async function readDetail(
  db: Db,
  projectId: string,
  campaignId: string,
  now: number,
): Promise<CampaignDetail> {
  const detail = await viewCampaignDetail(db, projectId, campaignId, now);
  if (detail === null) throw new Error("A campaign that was just read is not there.");
  return detail;
}
