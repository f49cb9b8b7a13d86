import type { PagePlace } from "../../platform/pages.ts";
import { settingGroup } from "./rules.ts";
import { words } from "./words.ts";

/** Every setting, by its label, its key and its subject, as the search of the page finds it. */
const values = Object.entries(words.labels).map(
  ([key, label]): PagePlace => ({
    label,
    also: `${key.replaceAll(".", " ")} ${key} ${words.groups[settingGroup(key)]}`,
    search: { q: key, field: key },
    at: key.startsWith("org.") ? "organization" : "project",
  }),
);

/** The settings and their log, as the palette finds them. */
export const places: readonly PagePlace[] = [
  { label: words.views.log, also: "settings history", search: { view: "log" } },
  ...values,
];
