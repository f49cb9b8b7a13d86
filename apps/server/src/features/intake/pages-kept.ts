import type { App } from "../../platform/runtime.ts";
import { rememberedSetting } from "../settings/public.ts";
import { intakeSettings } from "./settings.pure.ts";

/** What becomes of pages. A setting that cannot be read loses nothing that was sent. */
const pages = rememberedSetting(intakeSettings, "intake.pages", {
  value: "record",
  fault: "whether pages are kept could not be read",
});

/** Whether a project keeps the pages and screens that libraries report (`intake.pages`). */
export const keepsPages = async (app: App, projectId: string): Promise<boolean> =>
  (await pages(app, projectId)) === "record";
