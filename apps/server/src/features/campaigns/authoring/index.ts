import type { Feature } from "../../../platform/feature.ts";
import { countBrokenCampaignsAcrossProjects, countPinDifferencesAcrossProjects } from "./check-store.ts";
import { createCampaign } from "./create-campaign.ts";
import { getCampaign } from "./get-campaign.ts";
import { listCampaigns } from "./list-campaigns.ts";
import { setCampaignStatus } from "./set-campaign-status.ts";
import { updateCampaign } from "./update-campaign.ts";

export const campaigns: Feature = {
  endpoints: [createCampaign, listCampaigns, getCampaign, updateCampaign, setCampaignStatus],
  checks: [
    {
      name: "campaigns: none contradicts itself, and each has variants with one control",
      invariant: 8,
      compares: "facts",
      countDifferences: countBrokenCampaignsAcrossProjects,
    },
    {
      name: "campaigns: each is for the audience of the version that it pins",
      invariant: 8,
      compares: "facts",
      countDifferences: countPinDifferencesAcrossProjects,
    },
  ],
};
