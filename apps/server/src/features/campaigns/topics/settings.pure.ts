import type { SettingGroup, SettingSet } from "../../../platform/settings/setting.ts";
import { flag } from "../../../platform/settings/typed.ts";

/** Whether campaigns need a topic. */
export const topicSettings = {
  "topics.required": {
    parse: flag,
    fallback: false,
    label: "Every campaign has a topic",
    meaning: "true refuses the launch of an email or push campaign without a topic",
  },
} as const satisfies SettingSet;

export const topicSettingGroup: SettingGroup = { settings: topicSettings, topic: "launch" };
