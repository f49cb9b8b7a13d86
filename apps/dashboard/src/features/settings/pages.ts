import type { Page } from "../../platform/pages.ts";

export const settings: Page = {
  path: "settings",
  label: "Settings",
  section: "project",
  role: "owner",
  load: async () => (await import("./settings.tsx")).SettingsPage,
};
