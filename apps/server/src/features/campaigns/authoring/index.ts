import type { Feature } from "../../../domain/feature.ts";
import { plug } from "../../../platform/runtime.ts";
import { campaignsOfGoal } from "../goals/public.ts";
import { followGoal } from "./audience/follow-goal.ts";
import {
  countBrokenCampaignsAcrossProjects,
  countEpochDifferencesAcrossProjects,
  countPinDifferencesAcrossProjects,
  countUnreadableAudiencesAcrossProjects,
} from "./check-store.ts";
import { createCampaign } from "./create-campaign.ts";
import { getCampaign } from "./get-campaign.ts";
import { listCampaigns } from "./list-campaigns.ts";
import { setCampaignStatus } from "./status/set-campaign-status.ts";
import { launchSettingGroup } from "./status/settings.pure.ts";
import { tables } from "./tables.pure.ts";
import { updateCampaign } from "./update-campaign.ts";

export const campaigns: Feature = {
  room: "campaigns/authoring",
  tables,
  endpoints: [createCampaign, listCampaigns, getCampaign, updateCampaign, setCampaignStatus],
  settings: [launchSettingGroup],
  plugs: [plug(campaignsOfGoal, followGoal)],
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
    {
      name: "campaigns: the audience of each, and the rule of each segment in use, can be read",
      invariant: 8,
      compares: "facts",
      countDifferences: countUnreadableAudiencesAcrossProjects,
    },
    {
      name: "campaigns: each has the weights, contents and holdout of its epoch",
      invariant: 8,
      compares: "facts",
      countDifferences: countEpochDifferencesAcrossProjects,
    },
  ],
  tags: { Campaigns: "Messages for an audience, on one channel, and what became of them." },
};
