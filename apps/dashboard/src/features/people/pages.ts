import type { Page } from "../../platform/pages.ts";

export const people: Page = {
  path: "people",
  label: "People",
  section: "project",
  role: "owner",
  load: async () => (await import("./people.tsx")).PeoplePage,
};
