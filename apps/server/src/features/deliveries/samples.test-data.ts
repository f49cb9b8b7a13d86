import type { Samples } from "../../../test/room-samples.ts";

export const samples: Samples = {
  listCampaignResults: ({ campaignId }) => ({ query: { campaignIds: campaignId } }),
  getCampaignConversions: () => ({ query: { event: "signed_up" } }),
  getCampaignPlan: () => ({ query: { controlRate: "0.04", exposedPerDay: "300" } }),
  getGoalConversions: () => ({ query: { event: "signed_up" } }),
};
