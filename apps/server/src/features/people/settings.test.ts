import { testSettings } from "../../../test/setting-cases.ts";
import { peopleSettingGroup } from "./settings.pure.ts";

testSettings(peopleSettingGroup, {
  "people.launch": {
    good: [
      ["editor", "editor"],
      [" approver ", "approver"],
    ],
    bad: ["viewer", "owner", "true"],
    rule: "must be one of editor, approver",
  },
});
