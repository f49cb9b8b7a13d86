import type { Page } from "../../platform/pages.ts";

export const webhooks: Page = {
  path: "webhooks",
  label: "Webhooks",
  section: "project",
  also: "hook callback endpoint notify http post signature standard webhooks integration zapier",
  role: "approver",
  ofProject: true,
  load: async () => (await import("./list.tsx")).WebhooksPage,
};

export const webhook: Page = {
  path: "webhooks/$webhookId",
  label: "Webhook",
  role: "approver",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./webhook.tsx")).WebhookPage,
};
