import type { Page } from "../../platform/pages.ts";
import { words } from "./words.ts";

export const users: Page = {
  path: "users",
  label: words.label,
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./list.tsx")).UsersPage,
};

export const user: Page = {
  path: "users/$userId",
  label: words.user,
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./user.tsx")).UserPage,
};
