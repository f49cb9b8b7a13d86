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
