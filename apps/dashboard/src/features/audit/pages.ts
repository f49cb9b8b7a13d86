import type { Page } from "../../platform/pages.ts";
import { words } from "./words.ts";

export const audit: Page = {
  path: "audit",
  label: words.label,
  role: "viewer",
  load: async () => (await import("./audit.tsx")).AuditPage,
};
