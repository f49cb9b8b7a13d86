import type { PersonRole } from "../../../platform/http/contract/person.ts";
import { changeStatus, findCampaign, type Launching } from "../../campaigns/authoring/public.ts";
import type { CampaignStatus } from "../../campaigns/authoring/rules.ts";

/**
 * Launches a campaign (UUID) in the name of a person, although changes that it declares may not be live. Guardrails and channel have to
 * be ready. `role`: what the person may do in the dashboard; null at the command line. Null where the project has no such campaign. Needs a transaction. @throws ApiError where the launch is refused
 */
export async function launchByPerson(
  ctx: Launching,
  campaignId: string,
  override: { by: string; reason: string },
  role: PersonRole | null = null,
): Promise<CampaignStatus | null> {
  const campaign = await findCampaign(ctx.db, ctx.projectId, campaignId, "for update");
  if (campaign === null) return null;
  return changeStatus(ctx, campaign, "launch", { mode: "manual", override, role });
}
