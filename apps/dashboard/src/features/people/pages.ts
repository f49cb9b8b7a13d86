import type { Page } from "../../platform/pages.ts";
import { words } from "./words.ts";

export const people: Page = {
  path: "people",
  label: words.label,
  role: "owner",
  load: async () => (await import("./people.tsx")).PeoplePage,
};
