import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { numbersFrom } from "../../../test/crash/random.ts";
import {
  binomial,
  everClaims,
  looksBetween,
  SimulatedCampaign,
  worlds,
} from "../../../test/statistics/simulate.ts";
import { compare, conversionsIn } from "./compare.pure.ts";
import { recommend } from "./decide.pure.ts";
import { reportedE } from "./reported.pure.ts";
import { rootBetween } from "./root.pure.ts";
import {
  type EpochSplit,
  intervalOf,
  LIFT,
  mostLogE,
  RATE,
  SAMPLE_RATIO,
  sideOf,
  splitEvidence,
} from "./split.pure.ts";

const random = numbersFrom(20_260_601);
const whole = (most: number): number => Math.floor(random() * (most + 1));
const SHARES = [0.05, 0.1, 1 / 3, 0.5, 0.75, 0.95];
const aShare = (): number => SHARES[whole(SHARES.length - 1)] ?? 0.5;
const someSplits = (): EpochSplit[] =>
  Array.from({ length: 1 + whole(3) }, () => ({ arm: whole(60), other: whole(60), share: aShare() }));
/** Epochs whose shares and base rates move, with a difference that does not; and their conversions. */
function aRamp(draw: () => number) {
  const oneOf = (values: readonly number[]): number => values[Math.floor(draw() * values.length)] ?? 0;
  const lift = oneOf([0.6, 0.8, 1, 1.3]);
  const strata = Array.from({ length: oneOf([2, 3]) }, () => {
    const [share, rate, users] = [oneOf(SHARES), oneOf([0.01, 0.1, 0.5]), oneOf([100, 1_000, 10_000])];
    const [arm, other] = [Math.round(users * share), Math.round(users * (1 - share))];
    const count = (exposed: number, chance: number) => ({
      exposed,
      converted: binomial(draw, exposed, chance),
    });
    return { arm: count(arm, rate * lift), other: count(other, rate), share };
  });
  return { strata, splits: conversionsIn(strata) };
}

/** The rate of one side over all epochs, as it is without telling them apart. */
function rateIn(strata: ReturnType<typeof aRamp>["strata"], side: "arm" | "other"): number {
  const sum = (counter: "exposed" | "converted") =>
    strata.reduce((all, each) => all + each[side][counter], 0);
  return sum("converted") / sum("exposed");
}

const MIXTURES = [LIFT, SAMPLE_RATIO, RATE];
const logE = (splits: readonly EpochSplit[]): number => splitEvidence(splits, LIFT).logE;

function near(actual: number, expected: number, most: number): void {
  const off = Math.abs(actual - expected) / Math.max(1, Math.abs(expected));
  assert.ok(off <= most, `${actual}, expected ${expected}`);
}

suite("a comparison over epochs whose rates move", () => {
  test("has rates, and an absolute difference, that point where the relative one does", () => {
    let isContradicted = false;
    for (let round = 0; round < 200; round++) {
      const { strata } = aRamp(random);
      const { rates, relative, absolute } = compare(strata, { comparisons: 1, minimumLift: 0.05 });
      if (relative.estimate === null || rates === null) continue;
      near(rates.arm / rates.other - 1, relative.estimate, 1e-9);
      assert.equal(Math.sign(absolute.estimate ?? 0), Math.sign(relative.estimate));
      for (const end of ["lower", "upper"] as const)
        if (absolute[end] !== null && relative[end] !== null)
          assert.ok((absolute[end] ?? 0) * (relative[end] ?? 0) >= 0);
      isContradicted ||= (rateIn(strata, "arm") - rateIn(strata, "other")) * relative.estimate < 0;
    }
    assert.ok(isContradicted, "the rates of all users together do not");
  });
});

suite("the split test", () => {
  test("is a martingale: without a difference, the next event leaves e as it is on average", () => {
    for (let round = 0; round < 300; round++) {
      const mixture = MIXTURES[round % 3] ?? LIFT;
      const before = someSplits();
      const share = aShare();
      const after = (arm: number, other: number): number =>
        Math.exp(
          splitEvidence([...before, { arm, other, share }], mixture).logE -
            splitEvidence(before, mixture).logE,
        );
      near(share * after(1, 0) + (1 - share) * after(0, 1), 1, 1e-12);
    }
  });

  test("does not care how epochs are cut, in which order they come, and what says nothing", () => {
    for (let round = 0; round < 100; round++) {
      const splits = someSplits();
      const cut = splits.flatMap(({ arm, other, share }) => {
        const [armPart, otherPart] = [whole(arm), whole(other)];
        return [
          { arm: armPart, other: otherPart, share },
          { arm: 7, other: 3, share: round % 2 },
          { arm: arm - armPart, other: other - otherPart, share },
          { arm: 0, other: 0, share: aShare() },
        ];
      });
      assert.equal(logE(cut.reverse()), logE(splits));
    }
  });

  test("mirrors when the sides are exchanged", () => {
    for (let round = 0; round < 100; round++) {
      const splits = someSplits();
      const mirrored = splits.map(({ arm, other, share }) => ({ arm: other, other: arm, share: 1 - share }));
      const [there, back] = [splitEvidence(splits, LIFT), splitEvidence(mirrored, LIFT)];
      near(back.logE, there.logE, 1e-10);
      near(back.mean, -there.mean, 1e-9);
      const interval = intervalOf(splits, there.logE, 0.05);
      const other = intervalOf(mirrored, back.logE, 0.05);
      assert.equal(interval.lower === null, other.upper === null);
      near(interval.lower ?? 0, -(other.upper ?? 0), 1e-9);
    }
  });

  test("says nothing without events, and after one event at an even share", () => {
    assert.equal(logE([]), 0);
    assert.equal(logE([{ arm: 0, other: 0, share: 0.5 }]), 0);
    near(logE([{ arm: 1, other: 0, share: 0.5 }]), 0, 1e-12);
    near(logE([{ arm: 0, other: 1, share: 0.5 }]), 0, 1e-12);
  });

  test("has an interval that leaves 0 exactly when it claims, and that is wider for a smaller error", () => {
    let claims = 0;
    for (let round = 0; round < 300; round++) {
      const splits = someSplits();
      const evidence = logE(splits);
      const ends = (alpha: number) => {
        const { lower, upper } = intervalOf(splits, evidence, alpha);
        return [lower ?? -Infinity, upper ?? Infinity] as const;
      };
      const [lower, upper] = ends(0.05);
      const isClaim = evidence >= Math.log(20);
      assert.equal(lower > 0 || upper < 0, isClaim);
      if (isClaim) claims++;
      const [wideLower, wideUpper] = ends(0.01);
      assert.ok(wideLower <= lower && wideUpper >= upper);
      for (const limit of [0, Infinity]) {
        assert.ok(mostLogE(splits, limit) >= evidence - 1e-9, "what a bound rules out is no claim");
      }
    }
    assert.ok(claims > 30 && claims < 270);
  });

  test("claims the side on which the interval of the same error leaves 0, to the last digit, and never both", () => {
    const draw = numbersFrom(20_261_125);
    let [claims, misleading] = [0, 0];
    for (let round = 0; round < 400; round++) {
      const { strata, splits } = aRamp(draw);
      const evidence = logE(splits);
      const mirrored = splits.map(({ arm, other, share }) => ({ arm: other, other: arm, share: 1 - share }));
      const edge = Math.exp(-evidence);
      const edges = [-1e-9, -1e-13, -2e-16, 0, 2e-16, 1e-13, 1e-9].map((part) => edge * (1 + part));
      for (const alpha of [0.25, 0.05, 0.025, 0.001, 1e-9, ...edges]) {
        if (alpha >= 1) continue;
        const side = sideOf(splits, evidence, alpha);
        const { lower, upper } = intervalOf(splits, evidence, alpha);
        const [isAbove, isBelow] = [lower !== null && lower > 0, upper !== null && upper < 0];
        assert.deepEqual([side === "better", side === "worse"], [isAbove, isBelow], `${alpha}`);
        assert.equal(side !== null, evidence >= -Math.log(alpha));
        const ofOther = sideOf(mirrored, evidence, alpha);
        assert.equal(ofOther, side === null ? null : side === "better" ? "worse" : "better");
      }
      const side = sideOf(splits, evidence, 0.025);
      if (side === null) continue;
      claims++;
      const [arm, other] = [rateIn(strata, "arm"), rateIn(strata, "other")];
      if (side === "better" ? arm <= other : arm >= other) misleading++;
    }
    assert.ok(
      claims > 100 && misleading > 10,
      `of ${claims} claims ${misleading} contradict the rates of all users`,
    );
  });

  test("judges verdicts by the comparisons that it reports", () => {
    for (let round = 0; round < 100; round++) {
      const campaign = new SimulatedCampaign(numbersFrom(round), [90, 10]);
      for (let week = 0; week < 3; week++) {
        campaign.grow(whole(600), [random() / 2, random() / 2]);
        campaign.setWeights([1 + whole(99), 1 + whole(99)]);
      }
      const [, arm] = campaign.statistics().variants;
      const [judged] = campaign.judged().comparisons;
      assert.ok(arm?.comparison && judged);
      assert.equal(reportedE(judged.logE), arm.comparison.eValue);
      const { lower, upper } = arm.comparison.relative;
      const side = sideOf(judged.splits, judged.logE, 0.05);
      assert.equal(side === "better", lower > 0);
      assert.equal(side === "worse", upper !== null && upper < 0);
    }
  });

  test("claims no difference where there is none, in more than 1 of 20 campaigns, however often one looks", () => {
    // The command `node bench/statistics.ts` has 1,000 campaigns and 200 looks of each world.
    for (const name of [
      "A/A at 10 %",
      "a ramp, while the rate changes",
      "weights and rates that change daily",
    ] as const) {
      const share = everClaims(worlds[name], looksBetween(20, 20_000, 40), 80, 4);
      assert.ok(share <= 0.05, `${name}: ${share}`);
    }
  });

  test("finds a difference that is there", () => {
    const campaign = new SimulatedCampaign(numbersFrom(9), [50, 50]);
    campaign.grow(20_000, [0.1, 0.12]);
    const { variants, decision } = campaign.statistics();
    assert.equal(variants[1]?.comparison?.verdict, "better");
    assert.deepEqual(decision, { action: "ship", variantId: "v1", retire: [] });
    assert.deepEqual(campaign.statistics(), campaign.statistics(), "the same counts, the same answer");
  });
});

suite("the root of a function", () => {
  test("is found to the last digits, whichever end is which", () => {
    for (let round = 0; round < 200; round++) {
      const wanted = random() * 10 ** (whole(12) - 9);
      const curve = (x: number): number => Math.expm1((x - wanted) * (1 + round));
      for (const [a, b] of [
        [0, wanted * 3],
        [wanted * 3, 0],
        [-1, wanted + 1e-9],
      ] as const) {
        near(rootBetween(curve, a, b) / wanted, 1, 1e-9);
      }
    }
  });
});

suite("the decision", () => {
  const contender = (
    variantId: string,
    verdict: "better" | "worse" | "similar" | "undecided",
    lower = 0,
  ) => ({
    variantId,
    comparison: { relative: { lower }, verdict },
  });
  const cases = [
    ["blocked while the split is broken", [contender("b", "better")], true, ["blocked", null, []]],
    ["the better one", [contender("b", "undecided"), contender("c", "better")], false, ["ship", "c", []]],
    [
      "of two better ones that with the higher lower end, and retires the worse one",
      [contender("b", "better", 0.1), contender("c", "better", 0.2), contender("d", "worse")],
      false,
      ["ship", "c", ["d"]],
    ],
    [
      "none of two alike differs by chance",
      [contender("c", "better"), contender("b", "better")],
      false,
      ["ship", "b", []],
    ],
    [
      "the control",
      [contender("b", "worse"), contender("c", "similar")],
      false,
      ["keep_control", null, ["b"]],
    ],
    ["on", [contender("b", "worse"), contender("c", "undecided")], false, ["continue", null, ["b"]]],
    ["on without a comparison", [{ variantId: "b", comparison: null }], false, ["continue", null, []]],
    ["on where users get the control alone", [], false, ["continue", null, []]],
  ] as const;
  for (const [name, live, isBroken, [action, variantId, retire]] of cases)
    test(name, () => assert.deepEqual(recommend(live, isBroken), { action, variantId, retire: [...retire] }));
});
