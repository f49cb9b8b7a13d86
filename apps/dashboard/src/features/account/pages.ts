import type { Page } from "../../platform/pages.ts";

export const account: Page = {
  path: "account",
  label: "Your account",
  section: "you",
  also: "password passkeys sessions profile single keys",
  role: null,
  load: async () => (await import("./account.tsx")).AccountPage,
};
