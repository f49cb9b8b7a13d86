import { rootBetween } from "./root.pure.ts";
import { RATE, splitEvidence } from "./split.pure.ts";

/** A share of users: what was observed (null without users), and between what it lies. */
export type Rate = { estimate: number | null; lower: number; upper: number };

/**
 * The rate of `successes` among `all`, with an interval that is right at every look with a chance of at least 1 − α; of a rate that drifts, it
 * contains the mean. It is {p: e(successes, failures; share p) < 1/α}, whose ends exist where the count can speak against 0 or against 1.
 */
export function rateOf(successes: number, all: number, alpha: number): Rate {
  if (all === 0) return { estimate: null, lower: 0, upper: 1 };
  const failures = all - successes;
  const limit = -Math.log(alpha);
  const observed = successes / all;
  const over = (p: number): number =>
    splitEvidence([{ arm: successes, other: failures, share: p }], RATE).logE - limit;
  // Against a rate of 0 the e-value of S successes tends to exp(S²/2), and against 1 that of the failures alike.
  const edge = (count: number, end: number): number => {
    if ((count * count) / 2 < limit) return end;
    // Against the observed rate itself nothing speaks: its e-value is at most 1.
    let [near, far] = [observed, (observed + end) / 2];
    while (over(far) < 0) [near, far] = [far, (far + end) / 2];
    return rootBetween(over, near, far);
  };
  return { estimate: observed, lower: edge(successes, 0), upper: edge(failures, 1) };
}

/** `rateOf` that remembers what it was asked: the comparisons of a campaign often have the same control. */
export function rememberedRates(): typeof rateOf {
  const known = new Map<string, Rate>();
  return (successes, all, alpha) => {
    const key = `${successes} ${all} ${alpha}`;
    const rate = known.get(key) ?? rateOf(successes, all, alpha);
    known.set(key, rate);
    return rate;
  };
}
