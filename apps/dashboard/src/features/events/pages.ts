import type { Page } from "../../platform/pages.ts";

export const events: Page = {
  path: "events",
  label: "Events",
  section: "users",
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./events.tsx")).EventsPage,
};
