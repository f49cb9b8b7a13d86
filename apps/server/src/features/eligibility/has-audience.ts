import { ApiError } from "../../platform/http/contract/errors.ts";
import type { CampaignRow } from "../campaigns/authoring/public.ts";

/** The campaign, which has an audience that can be asked about. @throws ApiError conflict `transactional` for a template, `journey_step` for the message of a step */
export function assertHasAudience(campaign: CampaignRow): CampaignRow {
  if (campaign.purpose === "transactional")
    throw new ApiError(
      "conflict",
      "This is a template of transactional mail, which has no audience: see GET /sends for what became of each mail.",
      { fields: { reason: "transactional" } },
    );
  if (campaign.journeyId !== null)
    throw new ApiError(
      "conflict",
      "This is the message of a step: who gets it is who comes to the step of its journey.",
      { fields: { reason: "journey_step" } },
    );
  return campaign;
}
