import type { Samples } from "../../../../test/room-samples.ts";

export const samples: Samples = {
  mutateCampaign: ({ toMutate: { campaignId, leaseToken } }) => ({
    path: { id: campaignId },
    inExample: { leaseToken },
  }),
  completeEvaluation: ({ toComplete: { campaignId, leaseToken } }) => ({
    path: { id: campaignId },
    inExample: { leaseToken },
  }),
  createProposal: ({ toPropose }) => ({ inExample: toPropose }),
  listProposals: () => ({ query: { status: "pending" } }),
};
