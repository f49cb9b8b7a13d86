import { Table } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./rows.module.css";
import { useStacked } from "./use-stacked.ts";

type RowOfCells = { id: string | number; cells: readonly ReactNode[] };
export type RowsProps = { heads: readonly string[]; rows: readonly RowOfCells[] };

function RowsUnder({ heads, rows }: RowsProps) {
  const { room, table, isStacked } = useStacked();
  // The roles are written out, because browsers forget them where a table is not laid out as one.
  return (
    <div ref={room} className={classes.room}>
      <Table
        ref={table}
        verticalSpacing="sm"
        className={isStacked ? classes.list : classes.table}
        role="table"
      >
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
    </div>
  );
}

/**
 * A table, which becomes a list on a phone and where it has too little room: each row below the other, each cell with the head of its
 * column. With other columns it is measured anew.
 */
export const Rows = ({ heads, rows }: RowsProps) => (
  <RowsUnder key={heads.join()} heads={heads} rows={rows} />
);
