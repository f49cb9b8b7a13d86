import type { Page } from "../../platform/pages.ts";

export const campaigns: Page = {
  path: "campaigns",
  label: "Campaigns",
  section: "messages",
  also: "messages newsletters",
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./list.tsx")).CampaignsPage,
};

export const campaign: Page = {
  path: "campaigns/$campaignId",
  label: "Campaign",
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./campaign.tsx")).CampaignPage,
};

export const newCampaign: Page = {
  path: "campaigns/new",
  label: "New campaign",
  role: "editor",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./new.tsx")).NewCampaignPage,
};

export const editCampaign: Page = {
  path: "campaigns/$campaignId/edit",
  label: "Edit",
  role: "editor",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./edit.tsx")).EditCampaignPage,
};
