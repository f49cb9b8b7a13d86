import type { Samples } from "../../../../test/room-samples.ts";

export const samples: Samples = {
  dispatchCampaignPush: ({ pushCampaignId }) => ({ path: { id: pushCampaignId } }),
  getCampaignPush: ({ pushCampaignId }) => ({ path: { id: pushCampaignId } }),
  sendPushTest: ({ pushCampaignId, pushTestId }) => ({
    path: { id: pushCampaignId },
    inExample: { requestId: `${pushTestId}-again` },
  }),
  getPushTest: ({ pushCampaignId }) => ({ path: { id: pushCampaignId } }),
};
