import type { Page } from "../../platform/pages.ts";

export const email: Page = {
  path: "email",
  label: "Email",
  section: "channels",
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./email.tsx")).EmailPage,
};
