import type { Feature } from "../../platform/feature.ts";
import { createCampaign } from "./create-campaign.ts";
import { getCampaign } from "./get-campaign.ts";
import { listCampaigns } from "./list-campaigns.ts";
import { setCampaignStatus } from "./set-campaign-status.ts";
import { updateCampaign } from "./update-campaign.ts";

export const campaigns: Feature = {
  endpoints: [createCampaign, listCampaigns, getCampaign, updateCampaign, setCampaignStatus],
};
