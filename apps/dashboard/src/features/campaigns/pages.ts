import type { Page } from "../../platform/pages.ts";
import { words } from "./words.ts";

export const campaigns: Page = {
  path: "campaigns",
  label: words.label,
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./list.tsx")).CampaignsPage,
};

export const campaign: Page = {
  path: "campaigns/$campaignId",
  label: words.campaign,
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./campaign.tsx")).CampaignPage,
};

export const newCampaign: Page = {
  path: "campaigns/new",
  label: words.newCampaign,
  role: "editor",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./new.tsx")).NewCampaignPage,
};

export const editCampaign: Page = {
  path: "campaigns/$campaignId/edit",
  label: words.edit,
  role: "editor",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./edit.tsx")).EditCampaignPage,
};
