import type { Feature } from "../../platform/feature.ts";
import { dashboardAssets, dashboardPages } from "./pages.ts";
import { previewPage, previewScript } from "./preview.ts";

/** The dashboard: pages that people open in a browser. */
export const dashboard: Feature = {
  files: [dashboardAssets, previewScript],
  routes: [previewPage, ...dashboardPages],
};
