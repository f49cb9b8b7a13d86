import type { Page } from "../../platform/pages.ts";
import { words } from "./words.ts";

export const account: Page = {
  path: "account",
  label: words.label,
  role: null,
  load: async () => (await import("./account.tsx")).AccountPage,
};
