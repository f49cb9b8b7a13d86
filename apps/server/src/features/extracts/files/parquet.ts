import { Worker } from "node:worker_threads";
import type { Column, ColumnType } from "../lines.pure.ts";
import type { FileBytes, TableFile } from "./file.ts";
import type { ParquetAnswer, ParquetColumn, ParquetColumnType, ParquetMessage } from "./parquet-worker.ts";

const TYPES: Readonly<Record<ColumnType, ParquetColumnType>> = {
  text: "STRING",
  instant: "TIMESTAMP",
  boolean: "BOOLEAN",
  number: "DOUBLE",
  json: "STRING",
};

/** A value as another thread takes it: JSON as text. */
function cellOf(type: ColumnType, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  return type === "json" ? JSON.stringify(value) : value;
}

const bytesOf = (value: unknown): number => (typeof value === "string" ? value.length : 8);

/** Another thread that writes one file. What it answers, or why it cannot, is there once it is awaited. */
function openWriter(columns: ParquetColumn[]) {
  const worker = new Worker(new URL("./parquet-worker.ts", import.meta.url), { workerData: columns });
  const file = new Promise<FileBytes>((resolve, reject) => {
    worker.once("message", ({ data, sha256 }: ParquetAnswer) => resolve({ data: Buffer.from(data), sha256 }));
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`The writer of a Parquet file ended with ${code}.`)));
  });
  file.catch(() => undefined);
  return { worker, file };
}

/** A Parquet file. To write a row takes some 20 µs of processor time, so another thread does it: requests do not wait for it. */
export function openParquetFile<Row>(columns: readonly Column<Row>[]): TableFile<Row> {
  const written = columns.map(([name, read, type = "text"]) => ({ name, read, type }));
  const { worker, file } = openWriter(written.map(({ name, type }) => ({ name, type: TYPES[type] })));
  let [count, bytes] = [0, 0];
  return {
    get rows() {
      return count;
    },
    get bytes() {
      return bytes;
    },
    add(rows) {
      const values = written.map(({ read, type }) => rows.map((row) => cellOf(type, read(row))));
      worker.postMessage({ values } satisfies ParquetMessage);
      for (const column of values) for (const value of column) bytes += bytesOf(value);
      count += rows.length;
    },
    end() {
      worker.postMessage("end" satisfies ParquetMessage);
      return file;
    },
    close: () => void worker.terminate(),
  };
}
