import { testSettings } from "../../../../test/setting-cases.ts";
import { draftSettingGroup } from "./settings.pure.ts";

testSettings(draftSettingGroup, {
  "drafts.pullRequests": {
    good: [
      ["members", "members"],
      [" everyone ", "everyone"],
    ],
    bad: ["member", "all", "true"],
    rule: "must be one of members, everyone",
  },
  "drafts.pullRequestLabel": {
    good: [
      ["draft it", "draft it"],
      ["x".repeat(100), "x".repeat(100)],
    ],
    bad: ["x".repeat(101), "a\nb"],
    rule: "must be 1 to 100 characters without line breaks or control characters",
  },
});
