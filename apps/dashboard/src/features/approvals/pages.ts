import type { Page } from "../../platform/pages.ts";

export const approvals: Page = {
  path: "approvals",
  label: "Approvals",
  section: "messages",
  also: "proposals decisions waiting",
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./list.tsx")).ApprovalsPage,
};

export const proposal: Page = {
  path: "approvals/$proposalId",
  label: "Proposal",
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./proposal.tsx")).ProposalPage,
};

export const activation: Page = {
  path: "approvals/campaigns/$campaignId",
  label: "Launch by itself",
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./activation.tsx")).ActivationPage,
};
