import type { SettingGroup, SettingSet } from "../../platform/settings/setting.ts";
import { choice } from "../../platform/settings/typed.ts";

/** What is kept of the calls that libraries of other services send. */
export const intakeSettings = {
  "intake.pages": {
    parse: choice("record", "ignore"),
    fallback: "record",
    label: "Pages and screens that libraries report",
    meaning:
      "what becomes of the page and screen calls of other services' libraries: record makes each an event of its user (page, screen), ignore leaves them out",
  },
} as const satisfies SettingSet;

export const intakeSettingGroup: SettingGroup = { settings: intakeSettings, topic: "data" };
