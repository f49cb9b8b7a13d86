import { BAD_NUMBERS, testSettings } from "../../../../test/setting-cases.ts";
import { AI_PRICES_RULE } from "./prices.pure.ts";
import { creditSettingGroup } from "./settings.pure.ts";

testSettings(creditSettingGroup, {
  "ai.monthlyLimit": {
    good: [
      ["0", 0],
      ["1000000", 1_000_000],
    ],
    bad: [...BAD_NUMBERS, "1000001"],
    rule: "must be a whole number from 0 to 1000000",
  },
  "ai.prices": {
    good: [
      ["* 0 0 0 0 0", "* 0 0 0 0 0"],
      [" *  0.20 0.025 0.250000 1.6 1.6 ", "* 0.2 0.025 0.25 1.6 1.6"],
      [
        "gpt-x 1 0.1 1 8 8;* 10000 0 0 0.000001 100;gpt-x>200000 2 0.2 2 12 12",
        "gpt-x 1 0.1 1 8 8; * 10000 0 0 0.000001 100; gpt-x>200000 2 0.2 2 12 12",
      ],
      ["*>5 1 1 1 1 1; *>0 1234.567891 1 1 1 1", "*>5 1 1 1 1 1; * 1234.567891 1 1 1 1"],
    ],
    bad: [
      " ",
      "*",
      "* 1 1 1 1",
      "* 1 1 1 1 1 1",
      "* 1 1 1 1 1;",
      "* 1 1 1 1 1; * 2 2 2 2 2",
      "* 1 1 1 1 1; *>0 2 2 2 2 2",
      "gpt-x 1 1 1 1 1",
      "*>5 1 1 1 1 1",
      "* 1 1 1 1 1; gpt x 1 1 1 1 1",
      "* 1 1 1 1 1; x>1.5 1 1 1 1 1",
      "* 1 1 1 1 1; x>100000001 1 1 1 1 1",
      "* 0.0000001 1 1 1 1",
      "* 10000.000001 1 1 1 1",
      "* -1 1 1 1 1",
      "* 1e2 1 1 1 1",
      "* 01 1 1 1 1",
      Array.from({ length: 50 }, (_, i) => `m${i} 1 1 1 1 1;`)
        .join("")
        .concat("* 1 1 1 1 1"),
      "* 1 1 1 1 1\u0000",
      "1".repeat(100_000),
    ],
    rule: AI_PRICES_RULE,
  },
});
