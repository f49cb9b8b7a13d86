import type { Comparison, PairOfRates } from "./compare.pure.ts";
import type { Counts } from "./counts.pure.ts";
import { SAMPLE_RATIO_THRESHOLD } from "./sample-ratio.pure.ts";

const DIGITS = 9;
const MOST_E = 1e12;

/** Sums in another order differ in their last digits, so only those digits are reported that come out on every machine. */
export const reportedNumber = (value: number): number => Number(value.toPrecision(DIGITS));
/** The same of what need not exist. */
export const reportedOrNull = (value: number | null): number | null =>
  value === null ? null : reportedNumber(value);

/** A chance that was integrated: six places of it are exact. */
export const reportedChance = (chance: number): number => Number(chance.toFixed(6));

/** An e-value, from its logarithm. */
export const reportedE = (logE: number): number => Math.min(MOST_E, reportedNumber(Math.exp(logE)));

/** Users and conversions. */
export const reportedCounts = ({ exposed, converted }: Counts) => ({
  exposedUsers: exposed,
  convertedUsers: converted,
});

/** An estimate between two ends. */
export const reportedEstimate = <Lower extends number | null, Upper extends number | null>(estimate: {
  estimate: number | null;
  lower: Lower;
  upper: Upper;
}) => ({
  estimate: reportedOrNull(estimate.estimate),
  lower: reportedOrNull(estimate.lower) as Lower,
  upper: reportedOrNull(estimate.upper) as Upper,
});

/** The rates of a comparison, of the variant and of the control. */
export const reportedRates = (rates: PairOfRates | null) =>
  rates && { variant: reportedNumber(rates.arm), control: reportedNumber(rates.other) };

/** What a comparison says. */
export const reportedComparison = ({ evidence, relative, absolute, verdict }: Comparison) => ({
  eValue: reportedE(evidence.logE),
  relative: reportedEstimate(relative),
  absolute: reportedEstimate(absolute),
  verdict,
});

/** Whether users are split as asked for, from the logarithm of the e-value. */
export const reportedSampleRatio = (logE: number) => ({
  eValue: reportedE(logE),
  threshold: SAMPLE_RATIO_THRESHOLD,
  mismatch: logE >= Math.log(SAMPLE_RATIO_THRESHOLD),
});
