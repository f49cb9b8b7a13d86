import type { Page } from "../../platform/pages.ts";

export const email: Page = {
  path: "email",
  label: "Email",
  section: "channels",
  also: "mail newsletter",
  places: async () => (await import("./places.ts")).places,
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./email.tsx")).EmailPage,
};
