import { CSV_START, csvInstant, csvRow } from "@tidings/client/csv";
import type { Format } from "./schema.ts";

/** What a column has: `instant` is epoch milliseconds, `json` whatever JSON can say. */
export type ColumnType = "text" | "instant" | "boolean" | "number" | "json";

/** A column of the table, its value in a row (null or undefined where it has none), and its type, where that is not text. */
export type Column<Row> = readonly [name: string, read: (row: Row) => unknown, type?: ColumnType];

const cellOf = <Row>([, read, type]: Column<Row>, row: Row): unknown => {
  const value = read(row);
  return type === "instant" && typeof value === "number" ? csvInstant(value) : value;
};

/** What a file begins with. */
export const headOf = <Row>(format: Format, columns: readonly Column<Row>[]): string =>
  format === "csv" ? CSV_START + csvRow(columns.map(([name]) => name)) : "";

/** Rows as lines of a file: a table of columns, or as the API answers them. */
export const linesOf = <Row>(format: Format, columns: readonly Column<Row>[], rows: readonly Row[]): string =>
  rows
    .map((row) =>
      format === "csv" ? csvRow(columns.map((column) => cellOf(column, row))) : `${JSON.stringify(row)}\n`,
    )
    .join("");

/** The pieces of a file. */
export async function* fileLines<Row>(
  format: Format,
  columns: readonly Column<Row>[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  const head = headOf(format, columns);
  if (head !== "") yield head;
  for await (const rows of pages) yield linesOf(format, columns, rows);
}
