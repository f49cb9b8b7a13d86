import type { SettingGroup, SettingSet } from "../../../../platform/settings/setting.ts";
import { chosenFlag, flag } from "../../../../platform/settings/typed.ts";

/** Which campaigns launch by themselves. */
export const launchSettings = {
  "launch.paused": {
    parse: flag,
    fallback: false,
    label: "Pause launches from code",
    meaning: "true keeps every campaign from launching by itself; requests still launch",
  },
  "launch.approvedContent": {
    parse: chosenFlag,
    fallback: null,
    label: "Launch only what was allowed",
    meaning:
      "whether a campaign launches by itself only as it was when a person allowed that; by default where people.launch is approver",
  },
} as const satisfies SettingSet;

export const launchSettingGroup: SettingGroup = { settings: launchSettings, topic: "launch" };
