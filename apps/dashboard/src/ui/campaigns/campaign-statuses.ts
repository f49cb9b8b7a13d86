import type { CampaignStatus, Channel } from "../../platform/api-types.ts";

/** The statuses of a campaign in words, in the order of its life. */
export const campaignStatuses: Readonly<Record<CampaignStatus, string>> = {
  draft: "Draft",
  scheduled: "Scheduled",
  running: "Running",
  paused: "Paused",
  expired: "Window over",
  ended: "Ended",
};

/** The channels of campaigns in words. */
export const channelNames: Readonly<Record<Channel, string>> = {
  web_inapp: "In the app",
  email: "Email",
  push: "Push",
};
