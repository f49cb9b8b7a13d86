import type { Feature } from "../../domain/feature.ts";
import { explainCampaign } from "./explain-campaign.ts";
import { takeCampaignCensus } from "./take-campaign-census.ts";

export const eligibility: Feature = { room: "eligibility", endpoints: [explainCampaign, takeCampaignCensus] };
