import { Alert, Stack, Text, Title } from "@mantine/core";
import type { Holdout } from "../../platform/api-types.ts";
import { formatDifference, percentOf } from "../../platform/figures.ts";
import { Rows } from "../lists/rows.tsx";
import { DifferenceCell, RateCell, Users } from "./cells.tsx";
import { words } from "./words.ts";

function verdictOf({ verdict, relative: { lower, upper } }: Holdout): string {
  const verdicts = words.verdicts;
  if (verdict === "better") return verdicts.better(percentOf(lower));
  if (verdict === "worse") return verdicts.worse(formatDifference(upper ?? 0));
  return verdicts[verdict];
}

type Props = {
  holdout: Holdout;
  /** Which users are counted. */
  about: string;
};

/** Users who got messages beside those who were held out. */
export function HoldoutOf({ holdout, about }: Props) {
  const { served, withheld, relative, sampleRatio } = holdout;
  const cellsOf = (name: string, side: Holdout["served"]) => [
    name,
    <Users key="users" side={side} />,
    <RateCell key="rate" interval={side.rate} isBroken={sampleRatio.mismatch} />,
  ];
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {words.holdout}
      </Title>
      <Text size="sm" c="dimmed">
        {about}
      </Text>
      {sampleRatio.mismatch ? (
        <Alert color="red" title={words.mismatch}>
          {words.mismatchAbout}
        </Alert>
      ) : (
        <Text fw={600}>{verdictOf(holdout)}</Text>
      )}
      <Rows
        heads={[words.users, words.exposed, words.rate, words.difference]}
        rows={[
          {
            id: "served",
            cells: [
              ...cellsOf(words.served, served),
              <DifferenceCell key="lift" interval={relative} isBroken={sampleRatio.mismatch} />,
            ],
          },
          { id: "withheld", cells: cellsOf(words.withheld, withheld) },
        ]}
      />
    </Stack>
  );
}
