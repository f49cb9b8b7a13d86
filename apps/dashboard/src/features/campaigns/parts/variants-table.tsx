import { Badge, Group, Stack, Text, Title } from "@mantine/core";
import { numberOf, percentOf } from "../../../platform/figures.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/rows.tsx";
import { Broken, Difference, Rate, Users } from "../../../ui/statistics/cells.tsx";
import type { Comparison, EarlierText, Names, Statistics, VariantStatistics, Verdict } from "../rules.ts";
import { beganAnew, nameIn, ratesSideBySide } from "../rules.ts";
import { words } from "../words.ts";

const SIGNS: Readonly<Record<Verdict, string>> = { better: "▲", worse: "▼", similar: "=", undecided: "…" };

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

type Props = { statistics: Statistics; names: Names; earlier: readonly EarlierText[] };

function Name({ variant, names, earlier }: { variant: VariantStatistics } & Omit<Props, "statistics">) {
  const anew = beganAnew(earlier, variant);
  return (
    <>
      <Group gap="xs">
        <Text fw={600}>{nameIn(names, variant.variantId)}</Text>
        {variant.isControl && <Badge variant="light">{words.control}</Badge>}
      </Group>
      {anew !== null && (
        <Text size="sm" c="dimmed">
          {words.since(timeOf(anew.at), words.sinceText[anew.because])}
        </Text>
      )}
    </>
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
      <Difference of={comparison.relative} isBroken={mismatch} />
      {rates !== null && (
        <Text size="sm" maw="22rem">
          {words.sideBySide(percentOf(rates.variant), percentOf(rates.control))}
        </Text>
      )}
    </>
  );
}

/** Each variant with its users, its rate, and how it stands against the control. */
export function VariantsTable({ statistics, names, earlier }: Props) {
  const { mismatch } = statistics.sampleRatio;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {words.variants}
      </Title>
      <Rows
        heads={[words.variant, words.weight, words.users, words.rate, words.lift, words.verdict]}
        rows={statistics.variants.map((variant) => ({
          id: variant.variantId,
          cells: [
            <Name key="name" {...{ variant, names, earlier }} />,
            numberOf(variant.weight),
            <Users key="users" of={variant} />,
            <Rate key="rate" of={variant.rate} isBroken={mismatch} />,
            variant.comparison && <Against key="lift" {...{ variant, statistics }} />,
            variant.comparison &&
              (mismatch ? (
                <Broken key="verdict" />
              ) : (
                <VerdictOf key="verdict" comparison={variant.comparison} />
              )),
          ],
        }))}
      />
    </Stack>
  );
}
