import type { Answer } from "@tidings/client";
import { isKnown } from "./rules.ts";

export type Statistics = Answer<"getCampaignConversions">["statistics"];
export type VariantStatistics = Statistics["variants"][number];
/** What is compared with a control: variants, or paths of a journey, whose names are then their ids. */
export type Compared = Pick<Statistics, "variants" | "sampleRatio" | "plan">;
export type Comparison = NonNullable<VariantStatistics["comparison"]>;
export type ComparisonVerdict = Comparison["verdict"];

/** The names of variants by id. */
export type VariantNames = ReadonlyMap<string, string>;

export const nameIn = (names: VariantNames, variantId: string): string => names.get(variantId) ?? variantId;

/** What may be said of a comparison as a whole, from the most to the least important. */
export type ComparisonFinding =
  | { kind: "mismatch" }
  | { kind: "better"; variantId: string; lower: number }
  | { kind: "control"; count: number }
  | { kind: "undecided" }
  | { kind: "alone" };

/**
 * Of several that are better, the one with the highest lower end is named, as the rule that ships does; and like it, this speaks of
 * variants that users get, unless they get the control alone.
 */
export function comparisonFinding({
  variants,
  sampleRatio,
}: Pick<Compared, "variants" | "sampleRatio">): ComparisonFinding {
  if (sampleRatio.mismatch) return { kind: "mismatch" };
  const all = variants.flatMap(({ variantId, weight, comparison }) =>
    comparison === null ? [] : [{ variantId, weight, ...comparison }],
  );
  if (all.length === 0) return { kind: "alone" };
  const live = all.filter(({ weight }) => weight > 0);
  const compared = live.length > 0 ? live : all;
  const [best] = compared
    .filter(({ verdict }) => verdict === "better")
    .toSorted((one, other) => other.relative.lower - one.relative.lower);
  if (best !== undefined) return { kind: "better", variantId: best.variantId, lower: best.relative.lower };
  const isLost = ({ verdict }: { verdict: ComparisonVerdict }) =>
    verdict === "worse" || verdict === "similar";
  return compared.every(isLost) ? { kind: "control", count: compared.length } : { kind: "undecided" };
}

/** How far apart two rates are that a person would call the same. */
const APART = 0.1;

const areApart = (one: number, other: number): boolean =>
  Math.abs(one - other) > APART * Math.max(one, other);

/**
 * The rates of a variant and of the control that may be set beside each other; null where the rates of all their users may be. Where shares
 * moved, a variant may have more of its users from better times, and its rate then says so.
 */
export function ratesSideBySide(
  { rate, comparison }: VariantStatistics,
  control: VariantStatistics | undefined,
): NonNullable<Comparison["rates"]> | null {
  const [own, other] = [rate.estimate, control?.rate.estimate ?? null];
  if (comparison === null || own === null || other === null) return null;
  const { rates, relative } = comparison;
  if (rates === null || !isKnown(relative)) return null;
  const isContradicted = (own - other) * (rates.variant - rates.control) < 0;
  return isContradicted || areApart(rates.variant, own) || areApart(rates.control, other) ? rates : null;
}

const YEAR_DAYS = 365;

/**
 * The smallest lift that shows within a year in half of all runs, and within how many days; with null where even the largest one takes longer,
 * because that is longer than people wait.
 */
export function outlookOf({ lifts }: Pick<NonNullable<Compared["plan"]>, "lifts">): {
  lift: number;
  days: number | null;
} {
  const rising = lifts.toSorted((a, b) => a.lift - b.lift);
  const shown = rising.find(({ days50 }) => days50 !== null && days50 <= YEAR_DAYS);
  return { lift: (shown ?? rising.at(-1))?.lift ?? 0, days: shown?.days50 ?? null };
}
