import type { Page } from "../../platform/pages.ts";

export const system: Page = {
  path: "system",
  label: "System",
  section: "server",
  also: "server health doctor backup database",
  role: null,
  ofServer: true,
  load: async () => (await import("./system.tsx")).SystemPage,
};
