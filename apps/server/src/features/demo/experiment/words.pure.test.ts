import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Statistics } from "../../statistics/schema.ts";
import { describeStatistics } from "./words.pure.ts";

const NAMED = [
  { id: "var_a", name: "Plain", isControl: true, weight: 50 },
  { id: "var_b", name: "Promise", isControl: false, weight: 50 },
];

type Relative = { estimate: number | null; lower: number; upper: number | null };

const found = (relative: Relative, verdict: "better" | "worse" | "undecided", mismatch = false) =>
  ({
    threshold: 20,
    sampleRatio: { mismatch },
    variants: [
      { variantId: "var_a", matured: { exposedUsers: 100 }, comparison: null },
      { variantId: "var_b", matured: { exposedUsers: 100 }, comparison: { eValue: 30, relative, verdict } },
    ],
  }) as unknown as Statistics;

describe("the sentence of the experiment", () => {
  it("claims nothing beside a split that is broken", () => {
    const sentence = describeStatistics(found({ estimate: 1, lower: 0.5, upper: 2 }, "better", true), NAMED);
    assert.match(sentence, /^The split is broken/);
    assert.doesNotMatch(sentence, /%|better/);
  });

  it("names no difference before both have sold, unless one is claimed", () => {
    for (const estimate of [null, -1]) {
      const sentence = describeStatistics(found({ estimate, lower: -1, upper: null }, "undecided"), NAMED);
      assert.equal(sentence, "Nothing can be claimed before both texts have sold.");
    }
    const claimed = describeStatistics(found({ estimate: null, lower: 0.5, upper: null }, "better"), NAMED);
    assert.match(claimed, /^“Promise” sells at least 50 % more than “Plain”\. That is better/);
    const open = describeStatistics(found({ estimate: 0.1, lower: -0.5, upper: null }, "undecided"), NAMED);
    assert.match(open, /^“Promise” sells between 50 % less and any amount more than “Plain”/);
  });
});
