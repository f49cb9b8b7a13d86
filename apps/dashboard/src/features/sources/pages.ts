import type { Page } from "../../platform/pages.ts";

export const sources: Page = {
  path: "sources",
  label: "Sources",
  section: "messages",
  also: "repositories git github",
  places: async () => (await import("./places.ts")).places,
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./sources.tsx")).SourcesPage,
};

export const source: Page = {
  path: "sources/$sourceId",
  label: "Source",
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./source.tsx")).SourcePage,
};
