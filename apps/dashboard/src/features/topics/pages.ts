import type { Page } from "../../platform/pages.ts";

export const topics: Page = {
  path: "topics",
  label: "Topics",
  section: "messages",
  also: "newsletter preferences consent double opt-in",
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./topics.tsx")).TopicsPage,
};
