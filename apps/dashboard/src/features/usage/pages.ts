import type { Page } from "../../platform/pages.ts";

export const usage: Page = {
  path: "usage",
  label: "Usage",
  section: "project",
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./usage.tsx")).UsagePage,
};
