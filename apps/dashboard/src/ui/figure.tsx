import { Card, Text } from "@mantine/core";
import { numberOf } from "../platform/figures.ts";

/** A count with its name. */
export function Figure({ label, value }: { label: string; value: number }) {
  return (
    <Card withBorder>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={650}>
        {numberOf(value)}
      </Text>
    </Card>
  );
}
