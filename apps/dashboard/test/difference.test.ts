import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  comparedUsers,
  differenceOf,
  estimateControlRate,
} from "../src/features/campaigns/detectable-difference.pure.ts";

type Plan = NonNullable<Parameters<typeof differenceOf>[1]>;

const variant = (weight: number, isControl = false) => ({ weight, isControl });
const TWO = [variant(50, true), variant(50)];

const planOf = (needs: readonly (number | null)[]): Plan => ({
  controlRate: 0.05,
  exposedPerDay: 1,
  detectable: [],
  lifts: needs.map((users80, index) => ({
    lift: [0.05, 0.1, 0.2, 0.5][index] ?? 1,
    users50: users80,
    users80,
    days50: 1,
    days80: 1,
  })),
});

describe("whether users are enough to show which text does better", () => {
  it("is the smallest lift that they show, or what the largest one needs", () => {
    const needs = fc.array(fc.option(fc.integer({ min: 1, max: 1_000_000 })), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(needs, fc.nat(1_000_000), (found, users) => {
        const plan = planOf(found);
        const difference = differenceOf(TWO, plan, users);
        const enough = plan.lifts.filter(({ users80 }) => users80 !== null && users80 <= users);
        if (difference.kind === "shows")
          assert.equal(difference.lift, Math.min(...enough.map(({ lift }) => lift)));
        else if (difference.kind === "lacks") {
          assert.equal(enough.length, 0);
          assert.ok(difference.needed > users, "what is lacking is more than there is");
        } else {
          assert.equal(difference.kind, "saturated");
          assert.ok(found.every((each) => each === null));
        }
      }),
    );
  });

  it("is no question of one text, nor where users do not get both", () => {
    const plan = planOf([1, 1, 1, 1]);
    assert.deepEqual(differenceOf([variant(1, true)], plan, 100), { kind: "alone" });
    assert.deepEqual(differenceOf([variant(1, true), variant(0)], plan, 100), { kind: "alone" });
    assert.deepEqual(differenceOf([variant(0, true), variant(1), variant(1)], null, 100), { kind: "split" });
  });

  it("counts those alone who get the control, or the variant with most weight", () => {
    assert.equal(comparedUsers(26, TWO), 26);
    assert.equal(comparedUsers(100, [variant(50, true), variant(30), variant(20)]), 80);
    assert.equal(comparedUsers(0, TWO), 0);
  });

  it("takes the rate of the goal's messages, and an assumption only where none is known", () => {
    assert.deepEqual(estimateControlRate({ exposedUsers: 200, convertedUsers: 30 }), {
      rate: 0.15,
      isAssumed: false,
    });
    assert.deepEqual(estimateControlRate({ exposedUsers: 200, convertedUsers: 0 }), {
      rate: 0.05,
      isAssumed: true,
    });
    assert.deepEqual(estimateControlRate(null), { rate: 0.05, isAssumed: true });
    assert.ok(
      estimateControlRate({ exposedUsers: 3, convertedUsers: 3 }).rate < 1,
      "a plan takes no rate of 1",
    );
  });
});
