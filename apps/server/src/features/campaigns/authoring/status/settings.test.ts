import { BAD_WORDS, testSettings } from "../../../../../test/setting-cases.ts";
import { launchSettingGroup } from "./settings.pure.ts";

testSettings(launchSettingGroup, {
  "launch.paused": {
    good: [
      ["true", true],
      ["false", false],
    ],
    bad: [...BAD_WORDS, " "],
    rule: "must be true or false",
  },
  "launch.approvedContent": {
    good: [
      ["true", true],
      [" false ", false],
    ],
    bad: ["yes", "1", "TRUE", "null"],
    rule: "must be true or false",
  },
});
