import { createHash } from "node:crypto";
import { type Column, headOf, linesOf } from "../lines.pure.ts";
import type { FileFormat } from "../schema.ts";
import type { TableFile } from "./file.ts";
import { openParquetFile } from "./parquet.ts";

function openTextFile<Row>(format: "csv" | "ndjson", columns: readonly Column<Row>[]): TableFile<Row> {
  const pieces: Buffer[] = [];
  // Of the whole file at once, it would take as long as requests notice.
  const sum = createHash("sha256");
  let [count, bytes] = [0, 0];
  const write = (text: string): void => {
    const piece = Buffer.from(text);
    pieces.push(piece);
    sum.update(piece);
    bytes += piece.length;
  };
  write(headOf(format, columns));
  return {
    get rows() {
      return count;
    },
    get bytes() {
      return bytes;
    },
    add(rows) {
      write(linesOf(format, columns, rows));
      count += rows.length;
    },
    end: async () => ({ data: Buffer.concat(pieces), sha256: sum.digest("hex") }),
    close: () => undefined,
  };
}

export const openFile = <Row>(format: FileFormat, columns: readonly Column<Row>[]): TableFile<Row> =>
  format === "parquet" ? openParquetFile(columns) : openTextFile(format, columns);
