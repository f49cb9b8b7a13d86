import { ApiError } from "../../platform/http/contract/errors.ts";
import type { CampaignRow } from "../campaigns/authoring/public.ts";

/** The campaign, which has an audience that can be asked about. @throws ApiError conflict `transactional` for a template */
export function assertHasAudience(campaign: CampaignRow): CampaignRow {
  if (campaign.purpose === "transactional")
    throw new ApiError(
      "conflict",
      "This is a template of transactional mail, which has no audience: see GET /sends for what became of each mail.",
      { fields: { reason: "transactional" } },
    );
  return campaign;
}
