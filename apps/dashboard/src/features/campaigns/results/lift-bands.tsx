import { Stack, Text, Title } from "@mantine/core";
import { formatDifference } from "../../../platform/figures.ts";
import { timeOf } from "../../../platform/times.ts";
import { BandChart } from "../../../ui/charts/band-chart.tsx";
import { BrokenSplit } from "../../../ui/statistics/cells.tsx";
import { nameIn, type VariantNames, type VariantStatistics } from "../../../ui/statistics/comparison.ts";
import { words } from "../words.ts";
import { bandOf, beganAnew, type Conversions } from "./rules.ts";

/** An end of a band in words; null where there is none. */
const endOf = (value: number | null): string | null => (value === null ? null : formatDifference(value));

type Props = { conversions: Conversions; names: VariantNames };

function Band({ conversions, names, variant }: Props & { variant: VariantStatistics }) {
  const { statistics, evaluatedAt, earlier = [] } = conversions;
  const name = nameIn(names, variant.variantId);
  const points = bandOf(statistics, variant.variantId, evaluatedAt);
  const last = points.at(-1);
  if (statistics.sampleRatio.mismatch) return <BrokenSplit />;
  if (last === undefined)
    return (
      <Text size="sm" c="dimmed">
        {words.noBand}
      </Text>
    );
  const anew = beganAnew(earlier, variant);
  return (
    <BandChart
      points={points}
      sentence={words.bandSays(name, timeOf(evaluatedAt), formatDifference(last.lower), endOf(last.upper))}
      heads={[words.day, words.lower, words.upper]}
      textOf={(value) => endOf(value) ?? words.noEnd}
      mark={anew === null ? undefined : { at: anew.at, label: words.sinceText[anew.because] }}
    />
  );
}

/** For each of some variants that is compared, the band around its lift day by day, up to now. */
export function LiftBands({ conversions, names, shown }: Props & { shown: readonly VariantStatistics[] }) {
  const compared = shown.filter(({ comparison }) => comparison !== null);
  return compared.map((variant) => (
    <Stack key={variant.variantId} gap="xs">
      <Title order={3} size="h5">
        {words.bandTitle(nameIn(names, variant.variantId))}
      </Title>
      <Band conversions={conversions} names={names} variant={variant} />
    </Stack>
  ));
}
