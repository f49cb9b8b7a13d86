import type { Page } from "../../platform/pages.ts";

export const settings: Page = {
  path: "settings",
  label: "Settings",
  section: "project",
  also: "configuration preferences",
  places: async () => (await import("./places.ts")).places,
  role: "owner",
  load: async () => (await import("./settings.tsx")).SettingsPage,
};
