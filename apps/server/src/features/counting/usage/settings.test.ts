import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BAD_NUMBERS, testSettings } from "../../../../test/setting-cases.ts";
import type { SettingValue } from "../../../platform/settings/setting.ts";
import { billingSettingGroup, checkPeriod } from "./settings.pure.ts";

const INSTANT_RULE =
  "must be a date such as 2026-01-15 (its start in UTC), or a date-time with an offset, not before 2001-09-09";

const GOOD_INSTANTS = [
  ["2026-01-15", "2026-01-15T00:00:00.000Z"],
  [" 2026-01-15T12:30:00+02:00 ", "2026-01-15T10:30:00.000Z"],
  ["2024-02-29T23:59:59.999Z", "2024-02-29T23:59:59.999Z"],
  ["2001-09-09", "2001-09-09T00:00:00.000Z"],
] as const;

const BAD_INSTANTS = [
  " ",
  "x",
  "0",
  "1768435200000",
  "2026-02-30",
  "2026-13-01",
  "2026-1-5",
  "2026-01-15T12:30",
  "2026-01-15 12:30:00Z",
  "15.1.2026",
  "2001-09-08",
  "0001-01-01",
  "12026-01-15",
  "2026-01-15\u0000",
  "x".repeat(100_000),
];

testSettings(billingSettingGroup, {
  "org.spendCapUsd": {
    good: [
      ["0", 0],
      [" 680 ", 680],
      ["229.76", 229.76],
      ["0.5", 0.5],
      ["1000000000", 1_000_000_000],
    ],
    bad: [
      ...BAD_NUMBERS.filter((each) => each !== "1.5"),
      "1.234",
      ".5",
      "5.",
      "$5",
      "5 USD",
      "1000000000.01",
      "1000000001",
      "NaN",
      "Infinity",
      " ",
    ],
    rule: "must be an amount in USD from 0 to 1000000000 with at most two decimals",
  },
  "org.priceTiers": {
    good: [
      ["0", "0"],
      [" 0.02  to 10000 ,0.012", "0.02 to 10000, 0.012"],
      ["0.020000 to 10000, 0.0120", "0.02 to 10000, 0.012"],
      ["100", "100"],
      ["1 to 1, 0 to 2, 1000", "1 to 1, 0 to 2, 1000"],
      ["0.000001", "0.000001"],
    ],
    bad: [
      " ",
      "x",
      ",",
      "0.02,",
      "0.02, 0.012",
      "0.02 to 10000",
      "0.02 to 0, 1",
      "0.02 to 10000, 0.01 to 10000, 0.005",
      "0.02 to 10000, 0.01 to 9999, 0.005",
      "-1",
      "0.0000001",
      "1000.000001",
      "1e2",
      "0.02 to 1000000001, 0",
      "0.02 to 1.5, 0",
      Array.from({ length: 10 }, (_, i) => `1 to ${i + 1}`)
        .join(",")
        .concat(", 1"),
      "0.02\u0000",
      "1".repeat(100_000),
    ],
    rule: "must be prices in USD per active user such as 0.02 to 10000, 0.012: at most 10, each from 0 to 1000 with at most six decimals, all but the last with the number of users it goes up to",
  },
  "org.billingStatus": {
    good: (["none", "ok", "past_due", "restore_needed"] as const).map((word) => [word, word] as const),
    bad: ["OK", "past due", "paid", "constructor", " ", "\u0000"],
    rule: "must be one of none, ok, past_due, restore_needed",
  },
  "org.periodStart": { good: GOOD_INSTANTS, bad: BAD_INSTANTS, rule: INSTANT_RULE },
  "org.periodEnd": { good: GOOD_INSTANTS, bad: BAD_INSTANTS, rule: INSTANT_RULE },
});

describe("a period", () => {
  const [start, end] = ["2026-01-15T00:00:00.000Z", "2026-02-15T00:00:00.000Z"];
  const TOGETHER = "org.periodStart and org.periodEnd must be set, or cleared, together";
  const LENGTH = "org.periodEnd must be 1 to 400 days after org.periodStart";
  const cases: [string, Record<string, SettingValue>, [SettingValue, SettingValue], string | null][] = [
    ["set whole", { "org.periodStart": start, "org.periodEnd": end }, [null, null], null],
    ["cleared whole", { "org.periodStart": null, "org.periodEnd": null }, [start, end], null],
    ["moved at its end", { "org.periodEnd": "2026-03-01T00:00:00.000Z" }, [start, end], null],
    ["set at its start only", { "org.periodStart": start }, [null, null], TOGETHER],
    ["cleared at its end only", { "org.periodEnd": null }, [start, end], TOGETHER],
    ["the wrong way round", { "org.periodStart": end, "org.periodEnd": start }, [null, null], LENGTH],
    ["empty", { "org.periodStart": start, "org.periodEnd": start }, [null, null], LENGTH],
    ["started after its end", { "org.periodStart": end }, [start, end], LENGTH],
    ["of 400 days", { "org.periodEnd": "2027-02-19T00:00:00.000Z" }, [start, end], null],
    ["longer", { "org.periodEnd": "2027-02-19T00:00:00.001Z" }, [start, end], LENGTH],
    ["left alone", { "org.spendCapUsd": 5 }, [start, null], null],
  ];
  for (const [what, changes, [from, to], fault] of cases) {
    it(`${what} ${fault === null ? "stands" : "is refused"}`, () => {
      const values = new Map(Object.entries(changes));
      const kept = new Map([
        ["org.periodStart", { value: from }],
        ["org.periodEnd", { value: to }],
      ]);
      assert.deepEqual(checkPeriod(values, kept), fault === null ? values : { fault });
    });
  }
});
