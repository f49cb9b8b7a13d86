import type { Page } from "../../platform/pages.ts";

export const usage: Page = {
  path: "usage",
  label: "Usage",
  section: "project",
  also: "billing cost active users",
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./usage.tsx")).UsagePage,
};
