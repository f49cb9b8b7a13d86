import type { Feature } from "../../platform/feature.ts";
import { explainCampaign } from "./explain-campaign.ts";
import { takeCampaignCensus } from "./take-campaign-census.ts";

export const eligibility: Feature = {
  endpoints: [explainCampaign, takeCampaignCensus],
};
