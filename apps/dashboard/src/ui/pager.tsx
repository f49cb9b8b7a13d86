import { Button, Group, Text } from "@mantine/core";
import { numberOf } from "../platform/figures.ts";
import { words } from "./words.ts";

type Props = { page: number; pageCount: number; total: number; open: (page: number) => void };

/** Where a list stands, and the way to its other pages. */
export function Pager({ page, pageCount, total, open }: Props) {
  return (
    <Group mt="md" justify="space-between">
      <Text size="sm" c="dimmed">
        {words.ofTotal(numberOf(total))}
      </Text>
      {pageCount > 1 && (
        <Group gap="xs">
          <Button size="xs" variant="default" disabled={page <= 1} onClick={() => open(page - 1)}>
            {words.previous}
          </Button>
          <Text size="sm">{words.pageOf(numberOf(page), numberOf(pageCount))}</Text>
          <Button size="xs" variant="default" disabled={page >= pageCount} onClick={() => open(page + 1)}>
            {words.next}
          </Button>
        </Group>
      )}
    </Group>
  );
}
