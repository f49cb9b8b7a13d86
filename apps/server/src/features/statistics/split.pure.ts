import { rootBetween } from "./root.pure.ts";

/** Events in one epoch: in the arm, in the other, and the share of the two that the arm was given (its weight divided by both). */
export type EpochSplit = { arm: number; other: number; share: number };

/** How large a difference is expected: normal distributions of θ around 0, each with its weight and its scale (standard deviation). */
export type Mixture = readonly { weight: number; scale: number }[];

/** For lifts of variants, and for a holdout: mostly around 25 %, with room for surprises. */
export const LIFT: Mixture = [
  { weight: 0.8, scale: 0.25 },
  { weight: 0.2, scale: 1 },
];
/** For a split of users that is not what was asked for: usually a few per cent. */
export const SAMPLE_RATIO: Mixture = [{ weight: 1, scale: 0.1 }];
/** For a single rate. */
export const RATE: Mixture = [{ weight: 1, scale: 1 }];

/** What the splits say: ln of the e-value, and mean and standard deviation of θ, the logarithm of the ratio of rates. */
export type SplitEvidence = { logE: number; mean: number; sd: number };

const HALF_STEPS = 28;
const NEGLIGIBLE = 1e-18;
const SMALLEST_STEP = 1e-12;
const MOST_STEPS = 200;

/** Leaves out epochs that say nothing, and adds up those of the same share. */
export function informative(splits: readonly EpochSplit[]): EpochSplit[] {
  const byShare = new Map<number, EpochSplit>();
  for (const { arm, other, share } of splits) {
    if (arm + other === 0 || !(share > 0 && share < 1)) continue;
    const found = byShare.get(share);
    if (found === undefined) byShare.set(share, { arm, other, share });
    else {
      found.arm += arm;
      found.other += other;
    }
  }
  // The order of sums changes their last digits, so the order in which epochs come must not decide it.
  return [...byShare.values()].sort((a, b) => a.share - b.share);
}

/** ℓ(θ) = Σ a θ − n ln(1 + w (e^θ − 1)): the log-likelihood of the splits at θ, against no difference. */
function logLikelihood(splits: readonly EpochSplit[], theta: number): number {
  const growth = Math.expm1(theta);
  let sum = 0;
  for (const { arm, other, share } of splits) {
    sum += arm * theta - (arm + other) * Math.log1p(share * growth);
  }
  return sum;
}

/** Where ℓ(θ) − θ²/(2 scale²) has its maximum, and how wide it is there. It is strictly concave, so steps of at most 1 always arrive. */
function peakOf(splits: readonly EpochSplit[], scale: number): { mode: number; width: number } {
  const precision = scale === Infinity ? 0 : 1 / (scale * scale);
  let mode = 0;
  let curvature = 0;
  for (let step = 0; step < MOST_STEPS; step++) {
    let slope = -mode * precision;
    curvature = precision;
    for (const { arm, other, share } of splits) {
      // The chance that the next event is of the arm, if θ is `mode`.
      const chance = share / (share + (1 - share) * Math.exp(-mode));
      slope += arm - (arm + other) * chance;
      curvature += (arm + other) * chance * (1 - chance);
    }
    const move = Math.min(1, Math.max(-1, slope / curvature));
    mode += move;
    if (Math.abs(move) < SMALLEST_STEP) break;
  }
  return { mode, width: 1 / Math.sqrt(curvature) };
}

/** One distribution of the mixture: ln ∫ exp ℓ(θ) N(θ; 0, scale²) dθ, with mean and mean square of θ under it. */
function integrate(
  splits: readonly EpochSplit[],
  scale: number,
): { logE: number; mean: number; square: number } {
  const { mode, width } = peakOf(splits, scale);
  const logDensity = (theta: number): number =>
    logLikelihood(splits, theta) - (theta * theta) / (2 * scale * scale);
  const top = logDensity(mode);
  // At the mode itself the density is 1. It falls on both sides, so what comes after a negligible one is negligible too.
  let [total, first, second] = [1, 0, 0];
  for (const side of [-1, 1]) {
    for (let k = 1; k <= HALF_STEPS; k++) {
      const offset = (side * k * width) / 2;
      const density = Math.exp(logDensity(mode + offset) - top);
      if (density < NEGLIGIBLE) break;
      total += density;
      first += density * offset;
      second += density * offset * offset;
    }
  }
  const shift = first / total;
  const mean = mode + shift;
  return {
    logE: top + Math.log((total * width) / 2 / (scale * Math.sqrt(2 * Math.PI))),
    mean,
    square: second / total - shift * shift + mean * mean,
  };
}

/**
 * The evidence that a difference exists. Users are drawn to an arm by a hash with known shares, so without a difference each event
 * multiplies e by something of mean 1, and e ever reaches x with a chance of at most 1/x, however often one looks. Sources: Lindon &
 * Malek 2022 (arXiv 2011.03567), with shares by epoch and Robbins' normal mixture; Ville 1939.
 */
export function splitEvidence(splits: readonly EpochSplit[], mixture: Mixture): SplitEvidence {
  const counted = informative(splits);
  const parts = mixture.map(({ weight, scale }) => {
    if (counted.length === 0) return { logE: Math.log(weight), mean: 0, square: scale * scale };
    const part = integrate(counted, scale);
    return { ...part, logE: part.logE + Math.log(weight) };
  });
  const logE = counted.length === 0 ? 0 : logSumExp(parts.map((part) => part.logE));
  const whole = logSumExp(parts.map((part) => part.logE));
  let [mean, square] = [0, 0];
  for (const part of parts) {
    const chance = Math.exp(part.logE - whole);
    mean += chance * part.mean;
    square += chance * part.square;
  }
  return { logE, mean, sd: Math.sqrt(square - mean * mean) };
}

/** ln Σ exp(x), without overflow. */
export function logSumExp(values: readonly number[]): number {
  const top = Math.max(...values);
  return top + Math.log(values.reduce((sum, value) => sum + Math.exp(value - top), 0));
}

/**
 * A number that ln e cannot exceed, without integrating: e is an average of likelihoods, so it is at most the largest one. First with a
 * maximum for each share, which takes no search; where that is above `limit`, with one θ for all.
 */
export function mostLogE(splits: readonly EpochSplit[], limit: number): number {
  const part = (count: number, expected: number): number =>
    count === 0 ? 0 : count * Math.log(count / expected);
  let [apart, arm, other] = [0, 0, 0];
  for (const split of splits) {
    const all = split.arm + split.other;
    arm += split.arm;
    other += split.other;
    apart += part(split.arm, all * split.share) + part(split.other, all * (1 - split.share));
  }
  if (apart < limit || arm === 0 || other === 0) return apart;
  return logLikelihood(splits, peakOf(splits, Infinity).mode);
}

/** An end of an interval that does not exist is null. */
export type Interval = { lower: number | null; upper: number | null };

/** How likely a θ has to be, as ℓ(θ), to lie in the interval of this α. */
const levelOf = (logE: number, alpha: number): number => Math.log(alpha) + logE;

/** What may be claimed of the arm against the other. */
export type LiftSide = "better" | "worse";

/**
 * What the splits claim at a chance of α to be wrong: null while e < 1/α, else the side on which the interval of this α leaves 0. ℓ is
 * concave with ℓ(0) = 0, so its slope at 0 says on which side everything lies that is more likely than no difference. Rates over several
 * epochs do not say that: where shares and rates moved, they can point to the other side (Simpson's paradox).
 */
export function sideOf(splits: readonly EpochSplit[], logE: number, alpha: number): LiftSide | null {
  if (levelOf(logE, alpha) < 0) return null;
  let slope = 0;
  for (const { arm, other, share } of informative(splits)) slope += arm - (arm + other) * share;
  if (slope === 0) return null;
  return slope > 0 ? "better" : "worse";
}

/**
 * All θ with ℓ(θ) > ln α + ln e, by its ends. It contains the true θ at every look, with a chance of at least 1 − α, and leaves 0 exactly
 * when e >= 1/α, however little is missing: `sideOf` decides on which side of 0 an end lies, rounding does not.
 * `logE` is that of the same splits under the same mixture. Source: the prior-posterior ratio, Waudby-Smith & Ramdas 2020.
 */
export function intervalOf(splits: readonly EpochSplit[], logE: number, alpha: number): Interval {
  const counted = informative(splits);
  const arm = counted.reduce((sum, split) => sum + split.arm, 0);
  const other = counted.reduce((sum, split) => sum + split.other, 0);
  if (arm + other === 0) return { lower: null, upper: null };
  const level = levelOf(logE, alpha);
  const above = (theta: number): number => logLikelihood(counted, theta) - level;
  // Without an event in one of the arms ℓ grows towards that end for ever, and a point above the level is found by going there.
  let inside = 0;
  if (arm > 0 && other > 0) inside = peakOf(counted, Infinity).mode;
  else for (let step = 1; above(inside) < 0; step *= 2) inside += arm === 0 ? -step : step;
  const edge = (direction: -1 | 1): number => {
    let [near, far, step] = [inside, inside + direction, 1];
    while (above(far) >= 0) {
      step *= 2;
      [near, far] = [far, far + direction * step];
    }
    return rootBetween(above, near, far);
  };
  const side = sideOf(counted, logE, alpha);
  const lowerFrom = (end: number) => (side === "better" ? Math.max(end, Number.MIN_VALUE) : Math.min(end, 0));
  const upperFrom = (end: number) => (side === "worse" ? Math.min(end, -Number.MIN_VALUE) : Math.max(end, 0));
  return {
    lower: arm === 0 ? null : lowerFrom(edge(-1)),
    upper: other === 0 ? null : upperFrom(edge(1)),
  };
}

/** What a θ means for people: the lift e^θ − 1. An end that does not exist is −1 below and null above. */
export const asLift = ({ lower, upper }: Interval): { lower: number; upper: number | null } => ({
  lower: lower === null ? -1 : Math.expm1(lower),
  upper: upper === null ? null : Math.expm1(upper),
});
