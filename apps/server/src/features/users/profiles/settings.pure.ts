import type { SettingGroup, SettingSet } from "../../../platform/settings/setting.ts";
import { line } from "../../../platform/settings/typed.ts";

/** What users are called by. */
export const profileSettings = {
  "users.nameTrait": {
    parse: line(200),
    fallback: null,
    label: "Trait that users are called by",
    meaning:
      "the trait that users are called by, such as nickname; by default name, else first_name and last_name, else email",
  },
} as const satisfies SettingSet;

export const profileSettingGroup: SettingGroup = { settings: profileSettings, topic: "data" };
