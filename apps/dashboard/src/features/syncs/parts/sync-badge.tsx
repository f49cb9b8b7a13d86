import { Badge, Stack, Text } from "@mantine/core";
import { timeOf } from "../../../platform/times.ts";
import long from "../../../ui/look/long.module.css";
import { type Sync, type SyncStanding, syncStandingOf } from "../rules.ts";
import { untilText } from "../texts.ts";
import { words } from "../words.ts";

const LOOKS: Readonly<Record<SyncStanding, { variant: string; color?: string }>> = {
  off: { variant: "default" },
  failing: { variant: "filled", color: "red" },
  writing: { variant: "light" },
  begins: { variant: "light" },
  current: { variant: "default" },
};

/** A few words beside the state: since when it fails, or until when it is up to date. */
function besides(sync: Sync, standing: SyncStanding): string | null {
  if (standing === "failing" && sync.failingSince !== null)
    return words.failingSince(timeOf(sync.failingSince));
  return untilText(sync);
}

type Props = {
  sync: Sync;
  /** Whether the reason stands there as well, where nothing else says it. */
  hasFault?: boolean;
};

/** How a sync is, as a word; the look only helps to find it. */
export function SyncBadge({ sync, hasFault = false }: Props) {
  const standing = syncStandingOf(sync);
  const text = besides(sync, standing);
  return (
    <Stack gap={2} align="flex-start">
      <Badge {...LOOKS[standing]}>{words.standings[standing]}</Badge>
      {text !== null && (
        <Text size="xs" c="dimmed">
          {text}
        </Text>
      )}
      {hasFault && standing === "failing" && sync.fault !== null && (
        <Text size="xs" className={long.long}>
          {sync.fault}
        </Text>
      )}
    </Stack>
  );
}
