import { Button, Group, Stack, Text } from "@mantine/core";
import { words } from "../words.ts";

type Props = {
  /** What is missing, and how it comes to be. */
  title: string;
  about: string;
  /** Said in place of both where filters leave nothing; null where nothing is filtered. */
  filtered: { title: string; clear: () => void } | null;
};

/** A list without rows: what would be in it, or the way back from filters that leave nothing. */
export function Empty({ title, about, filtered }: Props) {
  if (filtered === null)
    return (
      <Stack gap="xs">
        <Text fw={600}>{title}</Text>
        <Text c="dimmed">{about}</Text>
      </Stack>
    );
  return (
    <Group>
      <Text>{filtered.title}</Text>
      <Button variant="default" size="xs" onClick={filtered.clear}>
        {words.showAll}
      </Button>
    </Group>
  );
}
