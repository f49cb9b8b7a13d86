import type { Page } from "../../platform/pages.ts";

export const audit: Page = {
  path: "audit",
  label: "Audit log",
  section: "project",
  role: "viewer",
  load: async () => (await import("./audit.tsx")).AuditPage,
};
