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

export const templates: Page = {
  path: "templates",
  label: "Templates",
  section: "messages",
  also: "receipts transactional mail password reset sent",
  places: async () => (await import("./places.ts")).places,
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./templates/list.tsx")).TemplatesPage,
};

export const template: Page = {
  path: "templates/$templateId",
  label: "Template",
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./templates/template.tsx")).TemplatePage,
};

export const newTemplate: Page = {
  path: "templates/new",
  label: "New template",
  role: "editor",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./templates/new.tsx")).NewTemplatePage,
};

export const editTemplate: Page = {
  path: "templates/$templateId/edit",
  label: "Edit",
  role: "editor",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./templates/edit.tsx")).EditTemplatePage,
};

export const receipt: Page = {
  path: "templates/receipts/$receiptId",
  label: "Receipt",
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./templates/receipt.tsx")).ReceiptPage,
};
