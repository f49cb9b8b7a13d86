import { testSettings } from "../../../../test/setting-cases.ts";
import { profileSettingGroup } from "./settings.pure.ts";

testSettings(profileSettingGroup, {
  "users.nameTrait": {
    good: [
      ["nickname", "nickname"],
      [" first name ", "first name"],
      ["名前", "名前"],
      ["x".repeat(200), "x".repeat(200)],
    ],
    bad: [" ", "x".repeat(201), "a\u0000b", "a\nb"],
    rule: "must be 1 to 200 characters without line breaks or control characters",
  },
});
