import { BAD_NUMBERS, testSettings } from "../../../../test/setting-cases.ts";
import { eventSettingGroup } from "./settings.pure.ts";

testSettings(eventSettingGroup, {
  "retention.eventsDays": {
    good: [
      ["7", 7],
      ["3650", 3_650],
    ],
    bad: [...BAD_NUMBERS, "6", "3651"],
    rule: "must be a whole number from 7 to 3650",
  },
});
