import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EventCount, OperatorComparison } from "../schema.ts";
import { countTest, instantTest, valueTest } from "./conditions.pure.ts";

const NOW = Date.UTC(2026, 2, 1, 12);
const DAY = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const week = { amount: 7, unit: "days" } as const;

/** Values that meet no comparison with a value of another type; undefined stands for an absent one. */
const OTHERS = [undefined, null, [], ["pro"], [5], {}, { plan: "pro" }];

describe("valueTest", () => {
  const cases: [OperatorComparison, readonly unknown[], readonly unknown[]][] = [
    // the condition, what meets it, what does not
    [{ op: "eq", value: "pro" }, ["pro"], ["Pro", "pro ", "", 5, true]],
    [{ op: "eq", value: 5 }, [5, 5.0], ["5", 6, true]],
    [{ op: "eq", value: 0 }, [0, -0], [false, "", "0"]],
    [{ op: "eq", value: false }, [false], [true, 0, "false", ""]],
    [{ op: "neq", value: "pro" }, ["Pro", ""], ["pro", 5, false]],
    [{ op: "neq", value: 5 }, [6, -5], [5, "5", "6", true]],
    [{ op: "neq", value: true }, [false], [true, "false", 0]],
    [{ op: "in", value: ["a", "b"] }, ["a", "b"], ["A", "ab", "", 1]],
    [{ op: "in", value: [1, 2] }, [1, 2], ["1", 3, true]],
    [{ op: "not_in", value: ["a", "b"] }, ["c", ""], ["a", "b", 1, true]],
    [{ op: "not_in", value: [1, 2] }, [3, 1.5], [1, 2, "3", false]],
    [{ op: "contains", value: "ro" }, ["ro", "pro", "rope"], ["RO", "r", "", 5]],
    [{ op: "contains", value: "" }, ["", "a"], [5, true]],
    [{ op: "contains", value: "a.c" }, ["xa.cx"], ["abc"]],
    [{ op: "starts_with", value: "pr" }, ["pr", "pro"], ["Pro", "apr", "p"]],
    [{ op: "ends_with", value: "o" }, ["o", "pro"], ["O", "pro ", "o\n"]],
    [{ op: "gt", value: 5 }, [5.000001, 6], [5, 4, "6", true]],
    [{ op: "gte", value: 5 }, [5, 6], [4.999999, "5"]],
    [{ op: "lt", value: 5 }, [4, -1e300], [5, "4", false]],
    [{ op: "lte", value: 5 }, [5, 0], [5.1, "", "5"]],
    [{ op: "exists" }, ["", 0, false, [], {}, "a"], []],
    [
      { op: "before", value: iso(NOW) },
      [iso(NOW - 1), "2026-03-01T13:59:59+02:00"],
      [iso(NOW), iso(NOW + 1), NOW - 1, "yesterday"],
    ],
    [
      { op: "after", value: iso(NOW) },
      [iso(NOW + 1), "2026-03-01T12:00:00-00:01"],
      [iso(NOW), NOW + 1, "2026-03-02", "2026-02-30T00:00:00Z"],
    ],
    [
      { op: "within_last", value: week },
      [iso(NOW), iso(NOW - 7 * DAY)],
      [iso(NOW + 1), iso(NOW - 7 * DAY - 1), NOW, ""],
    ],
    [
      { op: "not_within_last", value: week },
      [iso(NOW + 1), iso(NOW - 7 * DAY - 1)],
      [iso(NOW), iso(NOW - 7 * DAY), NOW - 8 * DAY, "never"],
    ],
    [
      { op: "within_next", value: week },
      [iso(NOW), iso(NOW + 7 * DAY), "2026-03-02T00:00:00+12:00"],
      [iso(NOW - 1), iso(NOW + 7 * DAY + 1), NOW, "2026-03-02"],
    ],
    [
      { op: "not_within_next", value: week },
      [iso(NOW - 1), iso(NOW + 7 * DAY + 1)],
      [iso(NOW), iso(NOW + 7 * DAY), NOW + 8 * DAY, "never"],
    ],
  ];
  for (const [comparison, meets, fails] of cases) {
    it(JSON.stringify(comparison).slice(1, -1), () => {
      const test = valueTest(comparison);
      for (const value of meets) assert.equal(test(value, NOW), true, JSON.stringify(value));
      const never = comparison.op === "exists" ? [undefined, null] : OTHERS;
      for (const value of [...fails, ...never]) assert.equal(test(value, NOW), false, JSON.stringify(value));
    });
  }

  it("takes null for absent, and nothing else", () => {
    const test = valueTest({ op: "not_exists" });
    for (const value of [undefined, null]) assert.equal(test(value, NOW), true);
    for (const value of ["", 0, false, [], {}]) assert.equal(test(value, NOW), false);
  });
});

describe("instantTest", () => {
  const cases: [OperatorComparison, readonly number[], readonly number[]][] = [
    [{ op: "before", value: iso(NOW) }, [NOW - 1, 0], [NOW, NOW + 1]],
    [{ op: "after", value: iso(NOW) }, [NOW + 1], [NOW, 0]],
    [{ op: "within_last", value: week }, [NOW, NOW - 7 * DAY], [NOW + 1, NOW - 7 * DAY - 1]],
    [{ op: "not_within_last", value: week }, [NOW + 1, NOW - 7 * DAY - 1], [NOW, NOW - 7 * DAY]],
    [{ op: "within_next", value: week }, [NOW, NOW + 7 * DAY], [NOW - 1, NOW + 7 * DAY + 1]],
    [{ op: "not_within_next", value: week }, [NOW - 1, NOW + 7 * DAY + 1], [NOW, NOW + 7 * DAY]],
    [{ op: "exists" }, [0, NOW], []],
    [{ op: "not_exists" }, [], [0, NOW]],
  ];
  for (const [comparison, meets, fails] of cases) {
    it(JSON.stringify(comparison).slice(1, -1), () => {
      const test = instantTest(comparison);
      for (const value of meets) assert.equal(test(value, NOW), true, String(value));
      for (const value of fails) assert.equal(test(value, NOW), false, String(value));
      // A user who is not known has no times.
      assert.equal(test(null, NOW), comparison.op === "not_exists");
    });
  }
});

describe("countTest", () => {
  const cases: [EventCount["op"], readonly boolean[]][] = [
    // of 2, with 1, 2 and 3
    ["eq", [false, true, false]],
    ["neq", [true, false, true]],
    ["gt", [false, false, true]],
    ["gte", [false, true, true]],
    ["lt", [true, false, false]],
    ["lte", [true, true, false]],
  ];
  for (const [op, expected] of cases)
    it(op, () => assert.deepEqual([1, 2, 3].map(countTest({ op, value: 2 })), expected));
});
