import type { Page } from "../../platform/pages.ts";

export const keys: Page = {
  path: "keys",
  label: "Keys",
  section: "project",
  also: "api tokens secret publishable",
  role: "owner",
  ofProject: true,
  load: async () => (await import("./keys.tsx")).KeysPage,
};
