import type { SettingGroup, SettingSet } from "../../../platform/settings/setting.ts";
import { flag, whole } from "../../../platform/settings/typed.ts";

/** What is kept of visitors before they sign in. */
export const visitorSettings = {
  "visitors.enabled": {
    parse: flag,
    fallback: false,
    label: "Keep visitors before they sign in",
    meaning:
      "whether pages may send what visitors do who are not signed in, and show them messages; once they sign in, all of it is their user's",
  },
  "visitors.keepDays": {
    parse: whole(1, 365),
    fallback: 30,
    label: "Days that visitors are kept",
    meaning: "days after which a visitor who does not come back, and never signed in, is erased",
  },
} as const satisfies SettingSet;

export const visitorSettingGroup: SettingGroup = { settings: visitorSettings, topic: "data" };
