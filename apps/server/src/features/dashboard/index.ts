import type { Feature } from "../../platform/feature.ts";
import { dashboardAssets, dashboardPages } from "./pages.ts";

/** The dashboard: pages that people open in a browser. */
export const dashboard: Feature = { files: [dashboardAssets], routes: dashboardPages };
