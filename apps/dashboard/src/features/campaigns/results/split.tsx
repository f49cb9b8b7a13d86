import { Stack, Text, Title } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { words } from "../words.ts";
import { nameIn, type Statistics, type VariantNames } from "./rules.ts";

/** Whether users are split as the weights say; with figures where they are not. */
export function SplitOf({ statistics, names }: { statistics: Statistics; names: VariantNames }) {
  const { sampleRatio, unknownAllocation } = statistics;
  const { mismatch, arms } = sampleRatio;
  if (arms.length < 2) return null;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {words.split}
      </Title>
      {mismatch ? (
        <Rows
          heads={[words.variant, words.got, words.expected]}
          rows={arms.map(({ variantId, exposedUsers, expectedUsers }) => ({
            id: variantId,
            cells: [nameIn(names, variantId), numberOf(exposedUsers), numberOf(Math.round(expectedUsers))],
          }))}
        />
      ) : (
        <Text size="sm">{words.splitFine}</Text>
      )}
      {unknownAllocation > 0 && (
        <Text size="sm" c="dimmed">
          {words.unknownAllocation(unknownAllocation)}
        </Text>
      )}
    </Stack>
  );
}
