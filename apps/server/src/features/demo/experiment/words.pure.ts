import type { Statistics } from "../../statistics/schema.ts";

/** A variant as the page names it. */
export type NamedVariant = { id: string; name: string; isControl: boolean; weight: number };

const percent = (share: number): string => `${Math.round(100 * Math.abs(share)).toLocaleString("en")} %`;

/** An end of a difference: `12 % more`, `3 % less`. */
const more = (difference: number): string => `${percent(difference)} ${difference < 0 ? "less" : "more"}`;

/** A difference by its ends: `8 % to 497 % more`, `between 33 % less and 1,050 % more`. */
function range({ lower, upper }: { lower: number; upper: number | null }): string {
  if (upper === null)
    return lower < 0 ? `between ${percent(lower)} less and any amount more` : `at least ${more(lower)}`;
  const isOneWay = lower < 0 === upper < 0;
  return isOneWay ? `${percent(lower)} to ${more(upper)}` : `between ${more(lower)} and ${more(upper)}`;
}

const rounded = (eValue: number): string => (eValue < 10 ? eValue.toFixed(1) : String(Math.floor(eValue)));

/** What the statistics of the experiment say, in one sentence. */
export function describeStatistics(statistics: Statistics, variants: readonly NamedVariant[]): string {
  const control = variants.find(({ isControl }) => isControl);
  const other = variants.find(({ isControl }) => !isControl);
  const found = statistics.variants.find(({ variantId }) => variantId === other?.id);
  if (control === undefined || other === undefined || !found?.comparison)
    return "There is nothing to compare.";
  const saw = statistics.variants.reduce((sum, { matured }) => sum + matured.exposedUsers, 0);
  if (saw === 0) return "No visitor has come yet, so nothing is known.";
  if (statistics.sampleRatio.mismatch)
    return "The split is broken: visitors do not get the two as the weights say, so nothing can be claimed.";
  const { eValue, relative, verdict } = found.comparison;
  // Without anybody who bought on one side there is no difference, only ends that say nothing.
  if (verdict === "undecided" && (relative.estimate === null || relative.estimate <= -1))
    return "Nothing can be claimed before both texts have sold.";
  const sells = `“${other.name}” sells ${range(relative)} than “${control.name}”`;
  const e = rounded(eValue);
  if (verdict === "undecided")
    return `${sells}, so nothing can be claimed: e is ${e}, and ${statistics.threshold} is needed.`;
  return `${sells}. That is ${verdict}, whenever one looks: at most 1 in ${e} experiments without a difference ever shows so much.`;
}

/** A rationale for the page, which names variants rather than saying their ids. */
export const nameVariants = (rationale: string, variants: readonly NamedVariant[]): string =>
  variants.reduce((words, { id, name }) => words.replaceAll(id, `“${name}”`), rationale);
