import { Table } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./rows.module.css";

type RowOfCells = { id: string | number; cells: readonly ReactNode[] };
export type RowsProps = { heads: readonly string[]; rows: readonly RowOfCells[] };

/** A table, which on a phone becomes a list: each row below the other, each cell with the head of its column. */
export function Rows({ heads, rows }: RowsProps) {
  // The roles are written out, because browsers forget them where a table is not laid out as one.
  return (
    <Table verticalSpacing="sm" className={classes.table} role="table">
      <Table.Thead role="rowgroup" className={classes.head}>
        <Table.Tr role="row">
          {heads.map((head) => (
            <Table.Th key={head} role="columnheader">
              {head}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">
        {rows.map(({ id, cells }) => (
          <Table.Tr key={id} role="row" className={classes.row}>
            {heads.map((head, index) => (
              <Table.Td key={head} role="cell" data-head={head} className={classes.cell}>
                {cells[index]}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
