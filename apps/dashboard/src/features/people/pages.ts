import type { Page } from "../../platform/pages.ts";

export const people: Page = {
  path: "people",
  label: "People",
  section: "project",
  also: "team members roles access",
  role: "owner",
  load: async () => (await import("./people.tsx")).PeoplePage,
};
