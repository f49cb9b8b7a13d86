import { apiId } from "../../../domain/ids.ts";
import { findAuthors } from "../../audit/public.ts";
import type { CampaignRow, Launching } from "../../campaigns/authoring/public.ts";
import { findAllowance } from "../activation/activation-store.ts";
import type { LaunchApproval } from "../rules.ts";
import { formerApprovalRevisionOf, readApprovalRevision, readDetail } from "./content-hash.ts";

/** Operations by which people change what launches. */
const CHANGING = ["updateCampaign", "updateGoal"];

/** The last person who changed a campaign or its goal since an instant, and when; null where only programs did. */
async function lastChanger(
  { db, projectId }: Launching,
  { id, goalId }: CampaignRow,
  since: number,
): Promise<LaunchApproval["changedBy"]> {
  const targets = [apiId("cmp", id), ...(goalId === null ? [] : [apiId("goal", goalId)])];
  const authors = await findAuthors(db, projectId, CHANGING, targets);
  const changes = [...authors.values()].flatMap((names) => [...names].map(([at, name]) => ({ at, name })));
  return changes.filter(({ at }) => at >= since).toSorted((a, b) => b.at - a.at)[0] ?? null;
}

/** The person who allowed a draft to launch by itself, and whether what would launch is what they saw; null where no person did. */
export async function readApproval(ctx: Launching, campaign: CampaignRow): Promise<LaunchApproval | null> {
  const { db, projectId, now } = ctx;
  const allowance = await findAllowance(db, projectId, campaign.id);
  if (allowance === null) return null;
  const { approvedBy: by, approvedAt: at, revision } = allowance;
  const detail = await readDetail(db, projectId, campaign.id, now);
  if (revision === (await readApprovalRevision(db, projectId, detail)))
    return { by, at, covers: "all", changedBy: null };
  if (revision === formerApprovalRevisionOf(detail)) return { by, at, covers: "less", changedBy: null };
  return { by, at, covers: "changed", changedBy: await lastChanger(ctx, campaign, at) };
}
