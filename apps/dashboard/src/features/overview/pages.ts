import type { Page } from "../../platform/pages.ts";

export const overview: Page = {
  path: "overview",
  label: "Overview",
  role: null,
  load: async () => (await import("./overview.tsx")).OverviewPage,
};
