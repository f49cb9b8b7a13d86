import { CSV_START, csvRow } from "@tidings/client/csv";
import type { Format } from "./schema.ts";

/** A column of the table, and its value in a row. */
export type Column<Row> = readonly [name: string, read: (row: Row) => unknown];

/** The pieces of a file: rows as the API answers them, a line each, or a table of columns. */
export async function* fileLines<Row>(
  format: Format,
  columns: readonly Column<Row>[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  const line =
    format === "csv"
      ? (row: Row): string => csvRow(columns.map(([, read]) => read(row)))
      : (row: Row): string => `${JSON.stringify(row)}\n`;
  if (format === "csv") yield CSV_START + csvRow(columns.map(([name]) => name));
  for await (const rows of pages) yield rows.map(line).join("");
}
