import type { Page } from "../../platform/pages.ts";

export const audit: Page = {
  path: "audit",
  label: "Audit log",
  section: "project",
  also: "history who changed what",
  places: async () => (await import("./places.ts")).places,
  role: "viewer",
  load: async () => (await import("./audit.tsx")).AuditPage,
};
