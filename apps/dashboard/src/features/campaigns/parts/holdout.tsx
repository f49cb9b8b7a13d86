import { Stack, Text, Title } from "@mantine/core";
import { changeOf, percentOf } from "../../../platform/figures.ts";
import { Rows } from "../../../ui/rows.tsx";
import type { Holdout } from "../rules.ts";
import { words } from "../words.ts";
import { Difference, Rate, Users } from "./variants-table.tsx";

function verdictOf({ verdict, relative: { lower, upper } }: Holdout): string {
  const said = words.holdoutVerdicts;
  if (verdict === "better") return said.better(percentOf(lower));
  if (verdict === "worse") return said.worse(changeOf(upper ?? 0));
  return said[verdict];
}

/** Users who got messages beside those who were held out. */
export function HoldoutOf({ holdout }: { holdout: Holdout }) {
  const { percent, served, withheld, relative } = holdout;
  const cellsOf = (name: string, side: Holdout["served"]) => [
    name,
    <Users key="users" of={side} />,
    <Rate key="rate" of={side.rate} />,
  ];
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {words.holdout}
      </Title>
      <Text size="sm" c="dimmed">
        {words.holdoutAbout(percent)}
      </Text>
      <Text fw={600}>{verdictOf(holdout)}</Text>
      <Rows
        heads={[words.users, words.exposed, words.rate, words.difference]}
        rows={[
          {
            id: "served",
            cells: [...cellsOf(words.served, served), <Difference key="lift" of={relative} />],
          },
          { id: "withheld", cells: cellsOf(words.withheld, withheld) },
        ]}
      />
    </Stack>
  );
}
