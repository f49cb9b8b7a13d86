import type { Page } from "../../platform/pages.ts";

export const system: Page = {
  path: "system",
  label: "System",
  section: "server",
  role: null,
  ofServer: true,
  load: async () => (await import("./system.tsx")).SystemPage,
};
