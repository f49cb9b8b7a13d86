import { Badge, Button, Group, Text } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { exactTimeOf } from "../../../platform/times.ts";
import { words } from "../words.ts";

type Props = {
  stillAt: number | null;
  /** Whether the newest events are shown. */
  isFirst: boolean;
  /** How many came since it stands still. */
  fresh: number;
  /** Null where there is nothing to look at. */
  stop: (() => void) | null;
  goOn: () => void;
};

/** Whether the stream goes on or stands still, and the way to the other. */
export function Pace({ stillAt, isFirst, fresh, stop, goOn }: Props) {
  const isLive = stillAt === null && isFirst;
  if (isLive)
    return (
      <Group gap="sm">
        <Badge variant="light">{words.live}</Badge>
        <Text size="sm" c="dimmed">
          {words.liveAbout}
        </Text>
        {stop !== null && (
          <Button size="xs" variant="default" onClick={stop}>
            {words.stop}
          </Button>
        )}
      </Group>
    );
  return (
    <Group gap="sm">
      <Text size="sm">{stillAt === null ? words.olderPage : words.stillSince(exactTimeOf(stillAt))}</Text>
      {stillAt !== null && (
        <Text size="sm" fw={600} role="status">
          {fresh === 0 ? words.noFresh : words.fresh(numberOf(fresh))}
        </Text>
      )}
      <Button size="xs" variant={fresh > 0 ? "filled" : "default"} onClick={goOn}>
        {words.goOn}
      </Button>
    </Group>
  );
}
