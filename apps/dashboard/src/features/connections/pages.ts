import type { Page } from "../../platform/pages.ts";

export const connections: Page = {
  path: "connections",
  label: "Connections",
  section: "project",
  also: "segment rudderstack analytics.js library libraries integration write key intake refused calls",
  places: async () => (await import("./places.ts")).places,
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./connections.tsx")).ConnectionsPage,
};
