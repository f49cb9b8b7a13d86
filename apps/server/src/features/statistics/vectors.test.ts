import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { allocate } from "@tidings/agent";
import { z } from "zod";
import { isHeldOut } from "../deliveries/gates/holdout.ts";
import { pointOf } from "../deliveries/results/point.ts";
import { chancesOfBest } from "./chances.pure.ts";
import {
  type Allocation,
  absoluteEnds,
  compare,
  epochsOf,
  epochsOfSameContent,
  epochsTogether,
  ratioOfRates,
  strataOf,
} from "./compare.pure.ts";
import type { Counts } from "./counts.pure.ts";
import { detectableLift, usersFor } from "./plan.pure.ts";
import { rateOf } from "./rates.pure.ts";
import { SAMPLE_RATIO_THRESHOLD, sampleRatioLogE } from "./sample-ratio.pure.ts";
import { dayEnds } from "./series.pure.ts";
import { asLift, intervalOf, LIFT, RATE, SAMPLE_RATIO, splitEvidence } from "./split.pure.ts";

/** Inputs and expected outputs that another program computed with 25 digits. */
const end = z.number().nullable();
const splits = z.array(z.object({ arm: z.number(), other: z.number(), share: z.number() }));
const estimate = z.object({ estimate: end, lower: end, upper: end });
const Vectors = z.object({
  split: z.array(
    z.object({
      name: z.string(),
      epochs: splits,
      mixture: z.enum(["lift", "sampleRatio", "rate"]),
      lnE: z.number(),
      e: z.number(),
      mean: z.number(),
      sd: z.number(),
    }),
  ),
  interval: z.array(
    z.object({ epochs: splits, alpha: z.number(), lower: end, upper: end, liftLower: end, liftUpper: end }),
  ),
  rate: z.array(
    z.object({
      successes: z.number(),
      n: z.number(),
      alpha: z.number(),
      lower: z.number(),
      upper: z.number(),
    }),
  ),
  ratioOfRates: z.array(
    z.object({
      strata: z.array(
        z.object({
          armConverted: z.number(),
          armExposed: z.number(),
          otherConverted: z.number(),
          otherExposed: z.number(),
        }),
      ),
      ratio: end,
    }),
  ),
  absolute: z.array(
    z.object({
      epochs: splits,
      controlConverted: z.number(),
      controlExposed: z.number(),
      alpha: z.number(),
      controlLower: z.number(),
      controlUpper: z.number(),
      lower: end,
      upper: end,
    }),
  ),
  sampleRatio: z.array(
    z.object({
      name: z.string(),
      epochs: z.array(z.object({ counts: z.array(z.number()), weights: z.array(z.number()) })),
      lnE: z.number(),
      mismatch: z.boolean(),
    }),
  ),
  plan: z.array(
    z.object({
      controlRate: z.number(),
      lift: z.number(),
      share: z.number(),
      comparisons: z.number(),
      users80: z.number(),
      users50: z.number(),
    }),
  ),
  detectable: z.array(
    z.object({
      controlRate: z.number(),
      users: z.number(),
      share: z.number(),
      comparisons: z.number(),
      lift: z.number(),
    }),
  ),
  allocation: z.object({
    cases: z.array(
      z.object({
        posteriors: z.array(z.object({ mean: z.number(), sd: z.number() })),
        chances: z.array(z.number()),
        percent: z.array(z.number()),
      }),
    ),
  }),
  heldOut: z.array(
    z.object({
      goal: z.string(),
      userKey: z.string(),
      point: z.number(),
      heldOutAt10: z.boolean(),
      heldOutAt50: z.boolean(),
    }),
  ),
  everWrong: z.object({
    cases: z.array(
      z.object({
        share: z.number(),
        threshold: z.number(),
        events: z.number(),
        probability: z.number(),
      }),
    ),
  }),
  campaign: z.object({
    control: z.string(),
    minimumLift: z.number(),
    allocations: z.array(
      z.object({
        epoch: z.number(),
        weights: z.record(z.string(), z.number()),
        content: z.record(z.string(), z.string()),
      }),
    ),
    rows: z.array(
      z.object({
        variant: z.string(),
        epoch: z.number(),
        day: z.number(),
        exposed: z.number(),
        converted: z.number(),
      }),
    ),
    expected: z.object({
      comparisons: z.number(),
      variants: z.array(
        z.object({
          variant: z.string(),
          epochs: z.array(z.number()),
          e: z.number(),
          verdict: z.string(),
          exposed: z.number(),
          converted: z.number(),
          relative: estimate,
          absolute: estimate,
          rate: estimate,
        }),
      ),
      series: z.array(z.object({ day: z.number(), e: z.record(z.string(), z.number()) })),
      sampleRatio: z.object({ epochs: z.array(z.number()), lnE: z.number() }),
      chancesOfBest: z.array(z.number()),
      percent: z.array(z.number()),
    }),
  }),
});

const vectors = Vectors.parse(
  JSON.parse(readFileSync(new URL("../../../test/statistics/vectors.json", import.meta.url), "utf8")),
);
const MIXTURES = { lift: LIFT, sampleRatio: SAMPLE_RATIO, rate: RATE };
const DAY_MS = 86_400_000;

/** The same to nine digits; where a value is about 0, to nine places. */
function near(actual: number | null, expected: number | null, what: string): void {
  if (actual === null || expected === null) {
    assert.equal(actual, expected, what);
    return;
  }
  const off = Math.abs(actual - expected) / Math.max(1e-3, Math.abs(expected));
  assert.ok(off <= 1e-9, `${what}: ${actual}, expected ${expected} (off by ${off})`);
}

suite("the vectors of the statistics", () => {
  test("splits", () => {
    assert.ok(vectors.split.length > 20);
    for (const { name, epochs, mixture, ...expected } of vectors.split) {
      const { logE, mean, sd } = splitEvidence(epochs, MIXTURES[mixture]);
      near(logE, expected.lnE, `${name}: ln e`);
      near(Math.exp(logE), expected.e, `${name}: e`);
      near(mean, expected.mean, `${name}: mean`);
      near(sd, expected.sd, `${name}: sd`);
    }
  });

  test("intervals", () => {
    for (const [index, { epochs, alpha, ...expected }] of vectors.interval.entries()) {
      const interval = intervalOf(epochs, splitEvidence(epochs, LIFT).logE, alpha);
      near(interval.lower, expected.lower, `${index}: lower`);
      near(interval.upper, expected.upper, `${index}: upper`);
      near(asLift(interval).lower, expected.liftLower, `${index}: lift, lower`);
      near(asLift(interval).upper, expected.liftUpper, `${index}: lift, upper`);
    }
  });

  test("rates", () => {
    for (const { successes, n, alpha, lower, upper } of vectors.rate) {
      const rate = rateOf(successes, n, alpha);
      near(rate.lower, lower, `${successes} of ${n} at ${alpha}: lower`);
      near(rate.upper, upper, `${successes} of ${n} at ${alpha}: upper`);
    }
  });

  test("ratios of rates, and absolute differences", () => {
    for (const [index, { strata, ratio }] of vectors.ratioOfRates.entries()) {
      const counts = strata.map((each) => ({
        arm: { exposed: each.armExposed, converted: each.armConverted },
        other: { exposed: each.otherExposed, converted: each.otherConverted },
      }));
      near(ratioOfRates(counts), ratio, `ratio ${index}`);
    }
    for (const [index, each] of vectors.absolute.entries()) {
      const rate = rateOf(each.controlConverted, each.controlExposed, each.alpha / 5);
      near(rate.lower, each.controlLower, `${index}: control, lower`);
      near(rate.upper, each.controlUpper, `${index}: control, upper`);
      const lift = asLift(intervalOf(each.epochs, splitEvidence(each.epochs, LIFT).logE, each.alpha));
      near(absoluteEnds(lift, rate).lower, each.lower, `${index}: lower`);
      near(absoluteEnds(lift, rate).upper, each.upper, `${index}: upper`);
    }
  });

  test("sample ratios", () => {
    for (const { name, epochs, lnE, mismatch } of vectors.sampleRatio) {
      const logE = sampleRatioLogE(
        epochs.map(({ counts, weights }) =>
          counts.map((users, arm) => ({ users, weight: weights[arm] ?? 0 })),
        ),
      );
      near(logE, lnE, name);
      assert.equal(logE >= Math.log(SAMPLE_RATIO_THRESHOLD), mismatch, name);
    }
  });

  test("plans", () => {
    for (const { lift, users80, users50, ...design } of vectors.plan) {
      const users = usersFor(lift, { ...design, alpha: 0.05 });
      near(users?.users80 ?? null, users80, `lift ${lift}: 4 of 5`);
      near(users?.users50 ?? null, users50, `lift ${lift}: half`);
    }
    for (const { users, lift, ...design } of vectors.detectable) {
      near(detectableLift(users, { ...design, alpha: 0.05 }), lift, `${users} users`);
    }
  });

  test("allocation", () => {
    for (const { posteriors, chances, percent } of vectors.allocation.cases) {
      const found = chancesOfBest(posteriors);
      assert.equal(found.length, chances.length);
      for (const [index, chance] of chances.entries()) {
        assert.ok(Math.abs((found[index] ?? -1) - chance) <= 1e-5, `${found[index]}, expected ${chance}`);
      }
      assert.deepEqual(allocate(found), percent);
    }
  });

  test("who is held out", () => {
    for (const { goal, userKey, point, heldOutAt10, heldOutAt50 } of vectors.heldOut) {
      assert.equal(pointOf(goal, userKey), point);
      assert.equal(isHeldOut({ goalId: goal, holdoutPercent: 10 }, userKey), heldOutAt10);
      assert.equal(isHeldOut({ goalId: goal, holdoutPercent: 50 }, userKey), heldOutAt50);
    }
  });

  test("the chance ever to be wrong, exactly: every path of arms, weighed, until it claims", () => {
    for (const { share, threshold, events, probability } of vectors.everWrong.cases) {
      let alive = [1];
      let claimed = 0;
      for (let count = 1; count <= events; count++) {
        const next = Array.from({ length: count + 1 }, (_, arm) => {
          const reached = (alive[arm - 1] ?? 0) * share + (alive[arm] ?? 0) * (1 - share);
          if (reached === 0) return 0;
          const { logE } = splitEvidence([{ arm, other: count - arm, share }], LIFT);
          if (logE < Math.log(threshold)) return reached;
          claimed += reached;
          return 0;
        });
        alive = next;
      }
      near(claimed, probability, `share ${share}`);
      assert.ok(claimed < 0.05);
    }
  });

  test("a campaign of three variants, whose contents and weights were changed", () => {
    const { control, minimumLift, rows, expected } = vectors.campaign;
    const allocations: Allocation[] = vectors.campaign.allocations.flatMap(({ epoch, weights, content }) =>
      Object.entries(weights).map(([variantId, weight]) => ({
        epoch,
        variantId,
        weight,
        contentDigest: content[variantId] ?? "",
        startedAt: epoch,
      })),
    );
    const epochs = epochsOf(allocations);
    const cells = rows.map(({ variant, ...row }) => ({ ...row, variantId: variant, recent: 0 }));
    const evaluatedAt = (Math.max(...rows.map(({ day }) => day)) + 1) * DAY_MS;
    const ids = [control, ...expected.variants.map(({ variant }) => variant)];
    const { comparisons } = expected;
    const pairs = expected.variants.map(({ variant }) => ({ arm: variant, other: control }));
    let atEnd = (_id: string, _epoch: number): Counts => ({ exposed: 0, converted: 0 });
    let index = 0;
    for (const { at, countsOf } of dayEnds(cells, evaluatedAt)) {
      const { day, e } = expected.series[index] ?? { day: 0, e: {} };
      assert.equal(at, (day + 1) * DAY_MS);
      for (const pair of pairs) {
        const strata = strataOf(epochsTogether(epochs, pair), pair, countsOf);
        const { evidence } = compare(strata, { comparisons, minimumLift });
        near(Math.exp(evidence.logE), e[pair.arm] ?? null, `${pair.arm} on day ${index}`);
      }
      atEnd = countsOf;
      index++;
    }
    assert.equal(index, expected.series.length);
    for (const [place, each] of expected.variants.entries()) {
      const pair = pairs[place] ?? { arm: "", other: "" };
      const together = epochsTogether(epochs, pair);
      assert.deepEqual(
        together.map(({ epoch }) => epoch),
        each.epochs,
      );
      const strata = strataOf(together, pair, atEnd);
      const found = compare(strata, { comparisons, minimumLift });
      near(Math.exp(found.evidence.logE), each.e, each.variant);
      for (const part of ["estimate", "lower", "upper"] as const) {
        near(found.relative[part], each.relative[part], `${each.variant}: relative, ${part}`);
        near(found.absolute[part], each.absolute[part], `${each.variant}: absolute, ${part}`);
        near(
          rateOf(each.converted, each.exposed, 0.05)[part],
          each.rate[part],
          `${each.variant}: rate, ${part}`,
        );
      }
      assert.equal(found.verdict, each.verdict);
    }
    const same = epochsOfSameContent(epochs, ids);
    assert.deepEqual(
      same.map(({ epoch }) => epoch),
      expected.sampleRatio.epochs,
    );
    const splitsOf = same.map(({ epoch, variants }) =>
      ids.map((id) => ({ users: atEnd(id, epoch).exposed, weight: variants.get(id)?.weight ?? 0 })),
    );
    near(sampleRatioLogE(splitsOf), expected.sampleRatio.lnE, "sample ratio");
    const evidences = pairs.map(
      (pair) =>
        compare(strataOf(epochsTogether(epochs, pair), pair, atEnd), { comparisons, minimumLift }).evidence,
    );
    const chances = chancesOfBest(evidences);
    for (const [place, chance] of expected.chancesOfBest.entries()) {
      assert.ok(Math.abs((chances[place] ?? -1) - chance) <= 1e-5);
    }
    assert.deepEqual(allocate(chances), expected.percent);
  });
});
