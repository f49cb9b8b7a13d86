import type { Ctx } from "../../../platform/http/endpoint.ts";
import { ApiError } from "../../../platform/http/errors.ts";
import { raiseConfigVersion } from "../../access/public.ts";
import { openEpochs } from "./epoch-store.ts";
import { assertMayLaunch } from "./launch-gates.ts";
import { ACTION_FROM, applyAction, type CampaignStatus, type StatusAction } from "./rules.ts";
import { type CampaignRow, moveCampaign } from "./store.ts";

/**
 * Launches, pauses or ends a campaign, with its epoch and the version of the configuration; answers its new status. Needs the
 * transaction that locked the campaign. @throws ApiError conflict where its status or a launch gate refuses
 */
export async function changeStatus(
  ctx: Ctx,
  campaign: CampaignRow,
  action: StatusAction,
): Promise<CampaignStatus> {
  const { db, projectId, now } = ctx;
  const step = applyAction(action, campaign.status, campaign, now);
  if ("refusal" in step) throw new ApiError("conflict", step.refusal);
  if (action === "launch") await assertMayLaunch(ctx, campaign);
  const move = { from: ACTION_FROM[action], next: step.next, now };
  if (!(await moveCampaign(db, projectId, campaign.id, move))) throw new ApiError("conflict");
  await openEpochs(db, projectId, { campaignId: campaign.id }, now);
  await raiseConfigVersion(db, projectId);
  return step.next;
}
