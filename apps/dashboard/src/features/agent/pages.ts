import type { Page } from "../../platform/pages.ts";

export const agent: Page = {
  path: "agent",
  label: "Agent",
  section: "messages",
  also: "automation ai",
  places: async () => (await import("./places.ts")).places,
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./agent.tsx")).AgentPage,
};

export const agentRun: Page = {
  path: "agent/runs/$runId",
  label: "Run",
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./run.tsx")).RunPage,
};
