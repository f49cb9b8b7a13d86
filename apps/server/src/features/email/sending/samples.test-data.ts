import { setSettings } from "../../../../test/email.ts";
import type { Making } from "../../../../test/people-world.ts";
import type { PeopleSamples, Samples } from "../../../../test/room-samples.ts";

export const samples: Samples = {
  getCampaignEmail: ({ emailCampaignId }) => ({ path: { id: emailCampaignId } }),
  sendTestEmail: ({ emailCampaignId }) => ({ path: { id: emailCampaignId } }),
};

const withSender = () => ({
  prepare: ({ house, project }: Making) =>
    setSettings(house, project, {
      "email.from": "Acme <news@acme.example>",
      "email.postalAddress": "1 Main Street",
    }),
});

export const peopleSamples: PeopleSamples = {
  renewSenderKey: withSender,
  checkEmailSender: withSender,
  testEmailSender: withSender,
};
