import type { PagePlace } from "../../platform/pages.ts";
import { words } from "./words.ts";

/** The parts of the page about sources that the palette finds. */
export const places: readonly PagePlace[] = [
  { label: words.views.repositories, also: "sources git github connect", search: { view: "repositories" } },
  {
    label: words.views.announcements,
    also: "sources campaigns launched by code",
    search: { view: "announcements" },
  },
  {
    label: words.views.deployments,
    also: "sources releases environments ci",
    search: { view: "deployments" },
  },
];
