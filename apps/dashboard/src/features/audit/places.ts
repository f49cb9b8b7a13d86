import type { PagePlace } from "../../platform/pages.ts";
import { words } from "./words.ts";

/** What the palette finds on the page of the audit log. */
export const places: readonly PagePlace[] = [
  {
    label: words.exportTitle,
    also: "download csv ndjson spreadsheet",
    search: { export: "1" },
    role: "owner",
  },
];
