import type { Page } from "../../platform/pages.ts";

export const push: Page = {
  path: "push",
  label: "Push",
  section: "channels",
  also: "notifications mobile browsers web",
  places: async () => (await import("./places.ts")).places,
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./push.tsx")).PushPage,
};

export const device: Page = {
  path: "push/devices/$installationId",
  label: "Device",
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./device.tsx")).DevicePage,
};

export const pushCampaign: Page = {
  path: "push/campaigns/$campaignId",
  label: "Push campaign",
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./campaign.tsx")).PushCampaignPage,
};
