import type { Page } from "../../platform/pages.ts";

export const imports: Page = {
  path: "import",
  label: "Bring in",
  section: "users",
  also: "import upload file csv json parquet migrate move contacts customer.io braze onesignal listmonk mailchimp posthog segment",
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./list.tsx")).ImportsPage,
};

export const importFile: Page = {
  path: "import/$importId",
  label: "File",
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./file.tsx")).ImportPage,
};
