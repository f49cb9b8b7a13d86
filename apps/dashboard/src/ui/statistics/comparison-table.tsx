import { Badge, Text } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import { numberOf, percentOf } from "../../platform/figures.ts";
import { Rows } from "../lists/rows.tsx";
import { BrokenSplit, DifferenceCell, RateCell, Users } from "./cells.tsx";
import {
  type Compared,
  type Comparison,
  type ComparisonVerdict,
  nameIn,
  ratesSideBySide,
  type VariantNames,
  type VariantStatistics,
} from "./comparison.ts";
import { comparisonWords, type SideWords } from "./comparison-words.ts";

const SIGNS: Readonly<Record<ComparisonVerdict, string>> = {
  better: "▲",
  worse: "▼",
  similar: "=",
  undecided: "…",
};

/** A verdict, with the evidence for it where that is known. */
type Judged = Pick<Comparison, "verdict"> & { eValue?: Comparison["eValue"] };

/** An e-value of 2 or less says nothing to a person. */
const LEAST_EVIDENCE = 2;

export function VerdictOf({ comparison: { verdict, eValue } }: { comparison: Judged }) {
  return (
    <>
      <Badge variant={verdict === "better" ? "filled" : "default"}>
        <span aria-hidden>{SIGNS[verdict]}</span> {comparisonWords.verdicts[verdict]}
      </Badge>
      {eValue !== undefined && eValue > LEAST_EVIDENCE && (
        <Text size="sm" c="dimmed">
          {comparisonWords.evidence(numberOf(Math.floor(eValue)))}
        </Text>
      )}
    </>
  );
}

/** What is said of a side beside the control: nothing where the split of users is broken. */
function Against({ variant, statistics }: { variant: VariantStatistics; statistics: Compared }) {
  const { comparison } = variant;
  const { mismatch } = statistics.sampleRatio;
  if (comparison === null) return null;
  const control = statistics.variants.find(({ isControl }) => isControl);
  const rates = mismatch ? null : ratesSideBySide(variant, control);
  return (
    <>
      <DifferenceCell interval={comparison.relative} isBroken={mismatch} />
      {rates !== null && (
        <Text size="sm" maw="22rem">
          {comparisonWords.sideBySide(percentOf(rates.variant), percentOf(rates.control))}
        </Text>
      )}
    </>
  );
}

/** The same as plain figures: rates and differences as parts of one, between what each lies. Nothing is claimed of a broken split. */
export function comparisonRows(
  { variants, sampleRatio: { mismatch } }: Compared,
  names: VariantNames,
  { side }: SideWords,
) {
  const { weight, users, converted, rate, lift, verdict, lowest, highest } = comparisonWords;
  return {
    heads: [
      side,
      weight,
      users,
      converted,
      rate,
      lowest(rate),
      highest(rate),
      lift,
      lowest(lift),
      highest(lift),
      verdict,
    ],
    rows: variants.map((each) => {
      const { matured, pending, comparison } = each;
      const relative = mismatch ? undefined : comparison?.relative;
      const claimed = mismatch ? null : each.rate;
      return [
        nameIn(names, each.variantId),
        each.weight,
        matured.exposedUsers + pending.exposedUsers,
        matured.convertedUsers + pending.convertedUsers,
        claimed?.estimate ?? null,
        claimed?.lower ?? null,
        claimed?.upper ?? null,
        relative?.estimate ?? null,
        relative?.lower ?? null,
        relative?.upper ?? null,
        relative === undefined || comparison === null ? null : comparisonWords.verdicts[comparison.verdict],
      ];
    }),
  };
}

type Props = {
  statistics: Compared;
  /** Those of it that are shown. */
  shown: readonly VariantStatistics[];
  sides: SideWords;
  nameOf: (variant: VariantStatistics) => ReactNode;
};

/** What is compared, with its users and rates; with what is said of them beside the control, where one of them is compared or is the control. */
export function ComparisonTable({ statistics, shown, sides, nameOf }: Props) {
  const { mismatch } = statistics.sampleRatio;
  const hasVerdicts = shown.some(({ comparison, isControl }) => comparison !== null || isControl);
  return (
    <Rows
      heads={[
        sides.side,
        comparisonWords.weight,
        comparisonWords.users,
        comparisonWords.rate,
        ...(hasVerdicts ? [comparisonWords.lift, comparisonWords.verdict] : []),
      ]}
      rows={shown.map((variant) => ({
        id: variant.variantId,
        cells: [
          <Fragment key="name">{nameOf(variant)}</Fragment>,
          numberOf(variant.weight),
          <Users key="users" side={variant} />,
          <RateCell key="rate" interval={variant.rate} isBroken={mismatch} />,
          variant.comparison && <Against key="lift" variant={variant} statistics={statistics} />,
          variant.comparison &&
            (mismatch ? (
              <BrokenSplit key="verdict" />
            ) : (
              <VerdictOf key="verdict" comparison={variant.comparison} />
            )),
        ],
      }))}
    />
  );
}
