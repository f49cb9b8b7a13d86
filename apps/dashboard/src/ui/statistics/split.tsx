import { Stack, Text, Title } from "@mantine/core";
import { numberOf } from "../../platform/figures.ts";
import { Rows } from "../lists/rows.tsx";
import { type Compared, nameIn, type VariantNames } from "./comparison.ts";
import { comparisonWords, type SideWords } from "./comparison-words.ts";

type Props = {
  sampleRatio: Compared["sampleRatio"];
  /** Users in no comparison, because the weights of their time are not known. */
  unknownAllocation?: number;
  names: VariantNames;
  sides: SideWords;
};

/** Whether users are split as the weights say; with figures where they are not. */
export function SplitOf({ sampleRatio, unknownAllocation = 0, names, sides }: Props) {
  const { mismatch, arms } = sampleRatio;
  if (arms.length < 2) return null;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {comparisonWords.split}
      </Title>
      {mismatch ? (
        <Rows
          heads={[sides.side, sides.got, comparisonWords.expected]}
          rows={arms.map(({ variantId, exposedUsers, expectedUsers }) => ({
            id: variantId,
            cells: [nameIn(names, variantId), numberOf(exposedUsers), numberOf(Math.round(expectedUsers))],
          }))}
        />
      ) : (
        <Text size="sm">{comparisonWords.splitFine}</Text>
      )}
      {unknownAllocation > 0 && (
        <Text size="sm" c="dimmed">
          {comparisonWords.unknownAllocation(unknownAllocation)}
        </Text>
      )}
    </Stack>
  );
}
