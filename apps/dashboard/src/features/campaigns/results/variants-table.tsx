import { Badge, Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { numberOf, percentOf } from "../../../platform/figures.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { MessageLink } from "../../../ui/preview/message-link.tsx";
import { SaveTable } from "../../../ui/save/save-table.tsx";
import { BrokenSplit, DifferenceCell, RateCell, Users } from "../../../ui/statistics/cells.tsx";

import { words } from "../words.ts";
import {
  beganAnew,
  type Comparison,
  type ComparisonVerdict,
  type EarlierText,
  nameIn,
  partedBy,
  ratesSideBySide,
  type Statistics,
  type VariantNames,
  type VariantStatistics,
} from "./rules.ts";

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
        <span aria-hidden>{SIGNS[verdict]}</span> {words.verdicts[verdict]}
      </Badge>
      {eValue !== undefined && eValue > LEAST_EVIDENCE && (
        <Text size="sm" c="dimmed">
          {words.evidence(numberOf(Math.floor(eValue)))}
        </Text>
      )}
    </>
  );
}

type Props = {
  scope: string;
  campaign: CampaignDetail;
  names: VariantNames;
  earlier: readonly EarlierText[];
};

/** The name of a variant, what users read first of it, and since when it is counted where it began anew. */
function Name({ variant, scope, campaign, names, earlier }: Props & { variant: VariantStatistics }) {
  const { variantId, isControl } = variant;
  const title = campaign.variants.find(({ id }) => id === variantId)?.title;
  const anew = beganAnew(earlier, variant);
  return (
    <Stack gap={0}>
      <Group gap="xs">
        <Text fw={600}>{nameIn(names, variantId)}</Text>
        {isControl && <Badge variant="light">{words.control}</Badge>}
      </Group>
      {title !== undefined && <MessageLink scope={scope} campaignId={campaign.id} title={title} />}
      {anew !== null && (
        <Text size="sm" c="dimmed">
          {words.since(timeOf(anew.at), words.sinceText[anew.because])}
        </Text>
      )}
    </Stack>
  );
}

/** What is said of a variant beside the control: nothing where the split of users is broken. */
function Against({ variant, statistics }: { variant: VariantStatistics; statistics: Statistics }) {
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
          {words.sideBySide(percentOf(rates.variant), percentOf(rates.control))}
        </Text>
      )}
    </>
  );
}

/** The same as plain figures: rates and differences as parts of one, between what each lies. Nothing is claimed of a broken split. */
function tableOf({ variants, sampleRatio: { mismatch } }: Statistics, names: VariantNames) {
  const { variant, weight, users, converted, rate, lift, verdict, lowest, highest } = words;
  return {
    heads: [
      variant,
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
        relative === undefined || comparison === null ? null : words.verdicts[comparison.verdict],
      ];
    }),
  };
}

type TableProps = Props & { statistics: Statistics; shown: readonly VariantStatistics[] };

/** Variants with their users and rates; with what is said of them beside the control, where one of them is compared or is the control. */
function Table({ statistics, shown, ...shared }: TableProps) {
  const { mismatch } = statistics.sampleRatio;
  const hasVerdicts = shown.some(({ comparison, isControl }) => comparison !== null || isControl);
  return (
    <Rows
      heads={[
        words.variant,
        words.weight,
        words.users,
        words.rate,
        ...(hasVerdicts ? [words.lift, words.verdict] : []),
      ]}
      rows={shown.map((variant) => ({
        id: variant.variantId,
        cells: [
          <Name key="name" variant={variant} {...shared} />,
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

/** Each variant that users get with its users, its rate, and how it stands against the control. The file has those that were taken out, too. */
export const VariantsTable = ({ statistics, ...shared }: Props & { statistics: Statistics }) => (
  <Stack gap="xs">
    <Group justify="space-between">
      <Title order={3} size="h5">
        {words.variants}
      </Title>
      <SaveTable name="variants" {...tableOf(statistics, shared.names)} />
    </Group>
    <Table {...shared} statistics={statistics} shown={partedBy(statistics).present} />
  </Stack>
);

/** The variants that users had got before they were taken out, with what came of them. */
export function TakenOut({ children, ...shared }: Props & { statistics: Statistics; children: ReactNode }) {
  const { takenOut, isClosed } = partedBy(shared.statistics);
  if (takenOut.length === 0) return null;
  return (
    <details open={!isClosed}>
      <summary>
        {words.takenOut(takenOut.map(({ variantId }) => nameIn(shared.names, variantId)).join(", "))}
      </summary>
      <Stack gap="lg" mt="xs">
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            {words.takenOutAbout}
          </Text>
          <Table {...shared} shown={takenOut} />
        </Stack>
        {children}
      </Stack>
    </details>
  );
}
