import type { Page } from "../../platform/pages.ts";

export const users: Page = {
  path: "users",
  label: "Users",
  section: "users",
  also: "customers contacts profiles",
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./list.tsx")).UsersPage,
};

export const user: Page = {
  path: "users/$userId",
  label: "User",
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./user.tsx")).UserPage,
};
