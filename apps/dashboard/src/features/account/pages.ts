import type { Page } from "../../platform/pages.ts";

export const account: Page = {
  path: "account",
  label: "Your account",
  section: "you",
  role: null,
  load: async () => (await import("./account.tsx")).AccountPage,
};
