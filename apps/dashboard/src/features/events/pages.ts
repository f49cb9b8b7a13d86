import type { Page } from "../../platform/pages.ts";

export const events: Page = {
  path: "events",
  label: "Events",
  section: "users",
  also: "tracking activity",
  places: async () => (await import("./places.ts")).places,
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./events.tsx")).EventsPage,
};
