import type { Feature } from "../../domain/feature.ts";
import { icons } from "./icon.ts";
import { dashboardAssets, dashboardPages } from "./pages.ts";
import { previewPage, previewScript } from "./preview.ts";

/** The dashboard: pages that people open in a browser. */
export const dashboard: Feature = {
  room: "dashboard",
  files: [...icons, dashboardAssets, previewScript],
  routes: [previewPage, ...dashboardPages],
};
