import { Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useAddress } from "../../platform/address.ts";
import { numberOf } from "../../platform/figures.ts";
import { words } from "../words.ts";
import { Rows, type RowsProps } from "./rows.tsx";

type Paging = { page: number; pageCount: number; total: number };

/** Where a list stands, and the way to its other pages. */
function Pager({ paging: { page, pageCount, total } }: { paging: Paging }) {
  const [, change] = useAddress();
  const open = (chosen: number): void => change({ page: String(chosen) });
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

type Props = RowsProps & {
  /** The answer that the rows are of. */
  paging: Paging;
  /** Stands in place of no rows. */
  empty: ReactNode;
};

/** A page of a list, with the way to the others. The address names the page. */
export function PagedRows({ paging, empty, ...rows }: Props) {
  if (rows.rows.length === 0) return empty;
  return (
    <>
      <Rows {...rows} />
      <Pager paging={paging} />
    </>
  );
}
