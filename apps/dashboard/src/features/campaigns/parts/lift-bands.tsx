import { Stack, Text, Title } from "@mantine/core";
import { changeOf } from "../../../platform/figures.ts";
import { BandChart } from "../../../ui/band-chart.tsx";
import { bandOf, type Names, nameIn, type Statistics } from "../rules.ts";
import { words } from "../words.ts";

const ends = (lower: number, upper: number | null): [string, string] => [
  changeOf(lower),
  upper === null ? words.noEnd : changeOf(upper),
];

/** For each variant that is compared, the band around its lift day by day. */
export function LiftBands({ statistics, names }: { statistics: Statistics; names: Names }) {
  const compared = statistics.variants.filter(({ comparison }) => comparison !== null);
  return compared.map(({ variantId }) => {
    const name = nameIn(names, variantId);
    const points = bandOf(statistics, variantId);
    const last = points.at(-1);
    return (
      <Stack key={variantId} gap="xs">
        <Title order={3} size="h5">
          {words.bandTitle(name)}
        </Title>
        {last === undefined ? (
          <Text size="sm" c="dimmed">
            {words.noBand}
          </Text>
        ) : (
          <BandChart
            points={points}
            sentence={words.bandSays(name, ...ends(last.lower, last.upper))}
            heads={[words.day, words.lower, words.upper]}
            textOf={(value) => (value === null ? words.noEnd : changeOf(value))}
          />
        )}
      </Stack>
    );
  });
}
