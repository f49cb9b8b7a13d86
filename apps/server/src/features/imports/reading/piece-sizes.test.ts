import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { fileOf, plainly, recordsOf } from "./files.test-data.ts";
import { recognize } from "./recognize.ts";
import { type Position, readPieces, START } from "./records.ts";

const ROWS = 60;
const rows = Array.from({ length: ROWS }, (_, n) => ({ id: `user-${n}`, text: `two\nlines, ${n}` }));
const csv = `id,text\n${rows.map(({ id, text }) => `${id},"${text}"\n`).join("\n")}`;
const parquet = parquetWriteBuffer({
  columnData: (["id", "text"] as const).map((name) => ({
    name,
    data: rows.map((row) => row[name]),
    type: "STRING",
  })),
  rowGroupSize: 25,
});
const FILES: Record<string, string | Buffer> = {
  CSV: csv,
  "packed CSV": gzipSync(csv),
  "JSON lines": rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
  "a list of JSON": JSON.stringify(rows, null, 1),
  Parquet: Buffer.from(parquet),
};

describe("pieces whose size changes while a file is read", () => {
  for (const [name, content] of Object.entries(FILES))
    it(`have every record of ${name} once, and reading goes on behind each`, async () => {
      const file = fileOf(content, 100);
      const { format } = await recognize(file);
      const whole = (await recordsOf(file, format)).map(plainly);
      assert.equal(whole.length, ROWS);
      let most = 1;
      const [read, sizes, nexts]: [unknown[], number[], Position[]] = [[], [], []];
      for await (const { records, next } of readPieces(file, format, START, () => most)) {
        read.push(...records.map(plainly));
        sizes.push(records.length);
        nexts.push(next);
        most = most === 9 ? 1 : most + 2;
      }
      assert.deepEqual(read, whole);
      assert.deepEqual(sizes.slice(0, 6), [1, 3, 5, 7, 9, 1]);
      for (const [index, next] of nexts.entries()) {
        const behind = (await recordsOf(file, format, next)).map(plainly);
        const before = sizes.slice(0, index + 1).reduce((sum, size) => sum + size, 0);
        assert.deepEqual(behind, whole.slice(before));
      }
    });
});
