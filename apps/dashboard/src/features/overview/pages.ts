import type { Page } from "../../platform/pages.ts";
import { words } from "./words.ts";

export const overview: Page = {
  path: "overview",
  label: words.label,
  role: null,
  load: async () => (await import("./overview.tsx")).OverviewPage,
};
