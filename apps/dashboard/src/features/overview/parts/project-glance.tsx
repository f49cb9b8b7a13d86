import { Text } from "@mantine/core";
import { useOperation } from "../../../platform/operations.ts";
import { words } from "../words.ts";

/** A project in one line. */
export function ProjectGlance({ scope }: { scope: string }) {
  const { data, error } = useOperation(scope, "getOverview", undefined, { refetchInterval: false });
  const text =
    data === undefined
      ? error === null
        ? words.glanceComes
        : words.noFigures
      : words.glance(data.endUsers, data.eventsLast7d, data.runningCampaigns);
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  );
}
