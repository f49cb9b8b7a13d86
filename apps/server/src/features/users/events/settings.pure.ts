import type { SettingGroup, SettingSet } from "../../../platform/settings/setting.ts";
import { whole } from "../../../platform/settings/typed.ts";

/** The least and the most days that a project may keep events; none is recorded that is older than the most. */
export const EVENTS_DAYS = { least: 7, most: 3_650 } as const;

/** How long events are kept. */
export const eventSettings = {
  "retention.eventsDays": {
    parse: whole(EVENTS_DAYS.least, EVENTS_DAYS.most),
    fallback: null,
    label: "Days that events are kept",
    meaning:
      "days that events are kept; what was counted of older ones stays, and audiences look back no further; by default for ever",
  },
} as const satisfies SettingSet;

export const eventSettingGroup: SettingGroup = { settings: eventSettings, topic: "data" };
