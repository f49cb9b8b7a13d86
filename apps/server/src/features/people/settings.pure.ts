import type { SettingGroup, SettingSet } from "../../platform/settings/setting.ts";
import { choice } from "../../platform/settings/typed.ts";

/** What people of a role may do. */
export const peopleSettings = {
  "people.launch": {
    parse: choice("editor", "approver"),
    fallback: "editor",
    label: "Who reaches users",
    meaning:
      "the role from which people may do what reaches users at once: launch, resume, change what runs, loosen a goal; keys and agents are not asked",
  },
} as const satisfies SettingSet;

export const peopleSettingGroup: SettingGroup = { settings: peopleSettings, topic: "launch" };
