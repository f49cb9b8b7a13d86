import type { Db } from "../../platform/db/db.ts";
import { findCampaign } from "../campaigns/authoring/public.ts";
import { readApprovalRevision, readDetail } from "../launch/public.ts";
import { logRun } from "../runs/public.ts";
import { deleteApproval, findApproval, insertApproval } from "./store.ts";

/** What a person decides about a campaign: whether it may launch by itself. */
export type CampaignVerdict = {
  status: "approved" | "rejected";
  by: string;
  reason: string | null;
  /** The beginning of the revision that the person has seen; null where they did not name it. */
  revisionPrefix: string | null;
};

/** What became of a decision, or why it cannot be made. */
export type CampaignDecided =
  | { revision: string; was: "approved" | "pending" }
  | { refusal: { reason: keyof typeof REFUSALS; message: string } };

const REFUSALS = {
  unknown: "There is no such campaign in this project.",
  launched: "This campaign was launched already, or has ended.",
  other_revision: "The campaign has another revision than you named: look at it again.",
  not_approved: "This campaign is not approved.",
} as const;

const refused = (reason: keyof typeof REFUSALS) => ({ refusal: { reason, message: REFUSALS[reason] } });

/**
 * Allows a campaign (UUID) to launch by itself, or takes that back, in the name of a person, with a run that records it. Approving what is
 * approved confirms it as it is now. Needs a transaction. No API key can do this.
 */
export async function decideCampaign(
  within: { db: Db; projectId: string; now: number },
  campaignId: string,
  { status, by, reason, revisionPrefix }: CampaignVerdict,
): Promise<CampaignDecided> {
  const { db, projectId, now } = within;
  const campaign = await findCampaign(db, projectId, campaignId, "for update");
  if (campaign === null) return refused("unknown");
  if (campaign.status !== "draft" || campaign.startedAt !== null) return refused("launched");
  const detail = await readDetail(db, projectId, campaignId, now);
  const revision = await readApprovalRevision(db, projectId, detail);
  if (revisionPrefix !== null && !revision.startsWith(revisionPrefix)) return refused("other_revision");
  const isApproved = (await findApproval(db, projectId, campaignId)) !== null;
  if (status === "rejected" && !isApproved) return refused("not_approved");
  const runId = await logRun(within, {
    kind: "approval",
    goalId: campaign.goalId,
    campaignId,
    rationale: reason,
    input: { revision },
    output: { decision: status, decidedBy: by },
  });
  await deleteApproval(db, projectId, campaignId);
  if (status === "approved")
    await insertApproval(db, {
      campaignId,
      projectId,
      revision,
      runId,
      approvedBy: by,
      approvedAt: now,
    });
  return { revision, was: isApproved ? "approved" : "pending" };
}
