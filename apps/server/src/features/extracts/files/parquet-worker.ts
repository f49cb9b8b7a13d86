/** What writes a Parquet file in a thread of its own: it is given rows, answers the bytes of the file, and ends. */
import { hash } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { type BasicType, parquetWriteBuffer } from "hyparquet-writer";

export type ParquetColumnType = Extract<BasicType, "STRING" | "TIMESTAMP" | "BOOLEAN" | "DOUBLE">;
export type ParquetColumn = { name: string; type: ParquetColumnType };

/** Further rows: of each column its values, null where a row has none, instants as epoch milliseconds. Or that there are no more. */
export type ParquetMessage = { values: readonly (readonly unknown[])[] } | "end";

/** The file, and its SHA-256 in hexadecimal digits. */
export type ParquetAnswer = { data: ArrayBuffer; sha256: string };

const columns = (workerData as readonly ParquetColumn[]).map((column) => ({
  ...column,
  nullable: true,
  data: [] as unknown[],
}));

const asDate = (value: unknown): unknown => (typeof value === "number" ? new Date(value) : value);

parentPort?.on("message", (message: ParquetMessage) => {
  if (message !== "end") {
    for (const [index, { type, data }] of columns.entries())
      for (const value of message.values[index] ?? [])
        data.push(type === "TIMESTAMP" ? asDate(value) : value);
    return;
  }
  const data = parquetWriteBuffer({ columnData: columns });
  const sha256 = hash("sha256", new Uint8Array(data), "hex");
  parentPort?.postMessage({ data, sha256 } satisfies ParquetAnswer, [data]);
  parentPort?.close();
});
