import type { Counts, CountsOf } from "./counts.pure.ts";
import { type Rate, rateOf } from "./rates.pure.ts";
import {
  asLift,
  type EpochSplit,
  intervalOf,
  LIFT,
  type SplitEvidence,
  splitEvidence,
} from "./split.pure.ts";

/** The chance of a false claim that a comparison, or all comparisons of a campaign together, may have. */
export const ALPHA = 0.05;

/** The absolute difference needs the control's rate too, whose interval gets a fifth of the error. */
const CONTROL_RATE_ALPHA = ALPHA / 5;

/** What a variant had in an epoch of its campaign. `startedAt` is epoch milliseconds. */
export type Allocation = {
  epoch: number;
  variantId: string;
  weight: number;
  contentDigest: string;
  startedAt: number;
};

/** An epoch with all its variants. */
export type Epoch = { epoch: number; startedAt: number; variants: ReadonlyMap<string, Allocation> };

/** The epochs of a campaign, oldest first. */
export function epochsOf(allocations: readonly Allocation[]): Epoch[] {
  const byEpoch = new Map<number, { startedAt: number; variants: Map<string, Allocation> }>();
  for (const allocation of allocations) {
    const epoch = byEpoch.get(allocation.epoch) ?? { startedAt: allocation.startedAt, variants: new Map() };
    epoch.variants.set(allocation.variantId, allocation);
    byEpoch.set(allocation.epoch, epoch);
  }
  return [...byEpoch].map(([epoch, rest]) => ({ epoch, ...rest })).sort((a, b) => a.epoch - b.epoch);
}

/** The newest epochs through which the content of all these variants stayed as it is: edited content is another treatment. */
export function epochsOfSameContent(epochs: readonly Epoch[], variantIds: readonly string[]): Epoch[] {
  const newest = epochs.at(-1);
  const contentOf = (epoch: Epoch | undefined, id: string): string | undefined =>
    epoch?.variants.get(id)?.contentDigest;
  const isSame = (epoch: Epoch): boolean =>
    variantIds.every((id) => {
      const content = contentOf(epoch, id);
      return content !== undefined && content === contentOf(newest, id);
    });
  return epochs.slice(epochs.findLastIndex((epoch) => !isSame(epoch)) + 1);
}

/** The times before, newest first, through each of which the contents of all these variants stayed as they were. */
export function formerTimes(epochs: readonly Epoch[], variantIds: readonly string[]): Epoch[][] {
  const times: Epoch[][] = [];
  let rest = epochs.slice(0, epochs.length - epochsOfSameContent(epochs, variantIds).length);
  while (rest.length > 0) {
    const time = epochsOfSameContent(rest, variantIds);
    if (time.length > 0) times.push(time);
    // An epoch before one of them was made belongs to no time.
    rest = rest.slice(0, rest.length - Math.max(1, time.length));
  }
  return times;
}

/** An epoch of a comparison: both sides, and the share of the two that the arm was given. */
export type Stratum = { arm: Counts; other: Counts; share: number };

/** Two variants that are compared: the arm, and the other, which is the control. */
export type VariantPair = { arm: string; other: string };

const weightIn = (epoch: Epoch, variantId: string): number => epoch.variants.get(variantId)?.weight ?? 0;

/** The epochs in which both had weight while their contents were what they are now. */
export const epochsTogether = (epochs: readonly Epoch[], { arm, other }: VariantPair): Epoch[] =>
  epochsOfSameContent(epochs, [arm, other]).filter(
    (epoch) => weightIn(epoch, arm) > 0 && weightIn(epoch, other) > 0,
  );

/** The share of the two that the arm was given in an epoch. */
export const shareIn = (epoch: Epoch, { arm, other }: VariantPair): number =>
  weightIn(epoch, arm) / (weightIn(epoch, arm) + weightIn(epoch, other));

/** What a pair has to show in epochs in which both had weight. */
export const strataOf = (epochs: readonly Epoch[], pair: VariantPair, countsOf: CountsOf): Stratum[] =>
  epochs.map((epoch) => ({
    arm: countsOf(pair.arm, epoch.epoch),
    other: countsOf(pair.other, epoch.epoch),
    share: shareIn(epoch, pair),
  }));

/** An estimate between two ends. An end, or the estimate, that does not exist is null. */
export type Estimate = { estimate: number | null; lower: number; upper: number | null };
/** An estimate of which neither end need exist. */
export type EstimatedDifference = { estimate: number | null; lower: number | null; upper: number | null };
export type ComparisonVerdict = "better" | "worse" | "similar" | "undecided";

/** Rates of the two sides of a comparison that may be set beside each other, as fractions. */
export type PairOfRates = { arm: number; other: number };

/** What a comparison says: the evidence, rates that agree with it, the relative and the absolute difference, and the verdict. */
export type Comparison = {
  evidence: SplitEvidence;
  rates: PairOfRates | null;
  relative: Estimate;
  absolute: EstimatedDifference;
  verdict: ComparisonVerdict;
};

/**
 * The ratio of two rates over epochs whose rates may differ; null where the other side has no conversion to compare with.
 * Source: Mantel & Haenszel 1959.
 */
export function ratioOfRates(strata: readonly Omit<Stratum, "share">[]): number | null {
  let [above, below] = [0, 0];
  for (const { arm, other } of strata) {
    const all = arm.exposed + other.exposed;
    if (all === 0) continue;
    above += (arm.converted * other.exposed) / all;
    below += (other.converted * arm.exposed) / all;
  }
  return below === 0 ? null : above / below;
}

/**
 * The rates of both sides over epochs, each epoch weighed alike on both sides by n·m / (n + m), where n and m are its users. So it does
 * not tell which side had more of its users in good epochs, and the ratio of the two is `ratioOfRates`. Null where no epoch has users of both.
 * Sources: Mantel & Haenszel 1959 for the weights; Greenland & Robins 1985, Biometrics 41:55-68, for rates and their difference.
 */
export function comparableRates(strata: readonly Omit<Stratum, "share">[]): PairOfRates | null {
  let [above, below, all] = [0, 0, 0];
  for (const { arm, other } of strata) {
    const users = arm.exposed + other.exposed;
    if (users === 0) continue;
    above += (arm.converted * other.exposed) / users;
    below += (other.converted * arm.exposed) / users;
    all += (arm.exposed * other.exposed) / users;
  }
  return all === 0 ? null : { arm: above / all, other: below / all };
}

/** An end of the relative interval times an end of the control's rate: whichever makes the interval wider. */
export function absoluteEnds(
  relative: Omit<Estimate, "estimate">,
  rate: Pick<Rate, "lower" | "upper">,
): Omit<EstimatedDifference, "estimate"> {
  const { lower, upper } = relative;
  return {
    lower: lower * (lower < 0 ? rate.upper : rate.lower),
    upper: upper === null ? null : upper * (upper > 0 ? rate.upper : rate.lower),
  };
}

/** What may be said about a lift: `similar` when all of its interval is within the lift that would matter. */
function verdictOf({ lower, upper }: Estimate, minimumLift: number): ComparisonVerdict {
  if (lower > 0) return "better";
  if (upper !== null && upper < 0) return "worse";
  return upper !== null && lower >= -minimumLift && upper <= minimumLift ? "similar" : "undecided";
}

/** The conversions of strata, which are what a split test is made of. */
export const conversionsIn = (strata: readonly Stratum[]): EpochSplit[] =>
  strata.map(({ arm, other, share }) => ({ arm: arm.converted, other: other.converted, share }));

/** The evidence for a difference, and between what the lift lies. `comparisons` is among how many the error is divided (Bonferroni). */
export function liftOf(strata: readonly Stratum[], comparisons: number) {
  const splits = conversionsIn(strata);
  const evidence = splitEvidence(splits, LIFT);
  return { evidence, ends: asLift(intervalOf(splits, evidence.logE, ALPHA / comparisons)) };
}

/** `rates`: how rates are computed, where they are remembered. */
export type Comparing = { comparisons: number; minimumLift: number; rates?: typeof rateOf };

/**
 * Compares the arm with the other side. A claim needs an e-value of `comparisons / ALPHA`. `minimumLift` is the smallest lift that
 * matters, as a fraction. The absolute difference is the relative one times the rate of all users of the other side, which is never
 * negative: so both have the same sign, also where the rates of all users have not (Simpson 1951).
 */
export function compare(
  strata: readonly Stratum[],
  { comparisons, minimumLift, rates = rateOf }: Comparing,
): Comparison {
  const { evidence, ends } = liftOf(strata, comparisons);
  const ratio = ratioOfRates(strata);
  const estimate = ratio === null ? null : ratio - 1;
  const converted = strata.reduce((sum, { other }) => sum + other.converted, 0);
  const exposed = strata.reduce((sum, { other }) => sum + other.exposed, 0);
  const rate = rates(converted, exposed, CONTROL_RATE_ALPHA);
  const difference = estimate === null || rate.estimate === null ? null : estimate * rate.estimate;
  const relative = { estimate, ...ends };
  return {
    evidence,
    rates: comparableRates(strata),
    relative,
    absolute: { estimate: difference, ...absoluteEnds(ends, rate) },
    verdict: verdictOf(relative, minimumLift),
  };
}
