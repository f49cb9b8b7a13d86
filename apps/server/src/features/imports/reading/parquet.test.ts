import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { faultOf, fileOf, piecesOf, plainly, recordsIn, recordsOf } from "./files.test-data.ts";
import { recognize } from "./recognize.ts";

type Written = Parameters<typeof parquetWriteBuffer>[0];
const parquet = (options: Written): Buffer => Buffer.from(parquetWriteBuffer(options));

const MANY = 47_000;
const manyRows = (more: Partial<Written> = {}): Buffer =>
  parquet({
    columnData: [
      { name: "id", data: Array.from({ length: MANY }, (_, index) => BigInt(index)), type: "INT64" },
      {
        name: "name",
        data: Array.from({ length: MANY }, (_, index) => `user ${index % 50} é`),
        type: "STRING",
      },
    ],
    rowGroupSize: 20_500,
    ...more,
  });

describe("Parquet", () => {
  it("is read with every kind of value as JSON has it", async () => {
    const file = parquet({
      columnData: [
        { name: "text", data: ["é", null], type: "STRING", nullable: true },
        { name: "__proto__", data: [true, false], type: "BOOLEAN" },
        { name: "whole", data: [1n, 9_007_199_254_740_993n], type: "INT64" },
        { name: "real", data: [0.5, Number.NaN], type: "DOUBLE" },
        { name: "at", data: [new Date("2026-11-01T10:00:00.123Z"), new Date(0)], type: "TIMESTAMP" },
        { name: "bytes", data: [Buffer.from("née"), Buffer.from([0xff, 0x01])], type: "BYTE_ARRAY" },
        { name: "json", data: [{ a: [1, { b: null }] }, { c: "d" }], type: "JSON" },
      ],
    });
    assert.deepEqual((await recordsIn(file)).map(plainly), [
      [
        1,
        [
          ["text", "é"],
          ["__proto__", true],
          ["whole", 1],
          ["real", 0.5],
          ["at", "2026-11-01T10:00:00.123Z"],
          ["bytes", "née"],
          ["json", { a: [1, { b: null }] }],
        ],
      ],
      [
        2,
        [
          ["text", null],
          ["__proto__", false],
          ["whole", "9007199254740993"],
          ["real", null],
          ["at", "1970-01-01T00:00:00.000Z"],
          ["bytes", "ff01"],
          ["json", { c: "d" }],
        ],
      ],
    ]);
  });

  it("has days and local times without a zone", async () => {
    const micros = { type: "INT64", name: "at", repetition_type: "REQUIRED" } as const;
    const file = parquet({
      schema: [
        { name: "root", num_children: 3 },
        { name: "day", type: "INT32", converted_type: "DATE", repetition_type: "REQUIRED" },
        {
          ...micros,
          name: "local",
          logical_type: { type: "TIMESTAMP", isAdjustedToUTC: false, unit: "MICROS" },
        },
        {
          ...micros,
          name: "zoned",
          logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
        },
      ],
      columnData: [
        { name: "day", data: [new Date("2026-11-01")] },
        { name: "local", data: [new Date("2026-11-01T10:00:00Z")] },
        { name: "zoned", data: [new Date("2026-11-01T10:00:00Z")] },
      ],
    });
    assert.deepEqual((await recordsIn(file)).map(plainly), [
      [
        1,
        [
          ["day", "2026-11-01"],
          ["local", "2026-11-01 10:00:00"],
          ["zoned", "2026-11-01T10:00:00.000Z"],
        ],
      ],
    ]);
  });

  it("has a fault for a row with a text that is not UTF-8 or has a NUL", async () => {
    const schema: Written["schema"] = [
      { name: "root", num_children: 1 },
      { name: "a", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" },
    ];
    const broken = parquet({
      schema: [
        { name: "root", num_children: 1 },
        { name: "a", type: "BYTE_ARRAY", repetition_type: "REQUIRED" },
      ],
      columnData: [{ name: "a", data: [Buffer.from("x"), Buffer.from("a\0b"), Buffer.from([0xff])] }],
    });
    assert.deepEqual((await recordsIn(broken)).map(plainly), [
      [1, [["a", "x"]]],
      [2, "nul", "a"],
      [3, [["a", "ff"]]],
    ]);
    const text = parquet({
      schema,
      columnData: [{ name: "a", data: ["x", "QQQQ"] }],
      codec: "UNCOMPRESSED",
      statistics: false,
    });
    text.fill(0xff, text.indexOf("QQQQ"), text.indexOf("QQQQ") + 4);
    assert.deepEqual((await recordsIn(text)).map(plainly), [
      [1, [["a", "x"]]],
      [2, "utf8", "a"],
    ]);
  });

  it("goes on at the end of any piece, with the same rest, over row groups", async () => {
    const file = fileOf(manyRows(), 10_000);
    const { format, samples } = await recognize(file);
    assert.deepEqual(format, { format: "parquet", isGzip: false, delimiter: null, columns: ["id", "name"] });
    assert.equal(samples.length, 1_000);
    const pieces = await piecesOf(file, format);
    const all = pieces.flatMap(({ records }) => records);
    assert.deepEqual(
      all.map((record) =>
        "fields" in record ? [record.line, record.fields.id, record.fields.name] : record,
      ),
      Array.from({ length: MANY }, (_, index) => [index + 1, index, `user ${index % 50} é`]),
    );
    let read = 0;
    for (const { records, next } of pieces) {
      assert.ok(records.length <= 5_000);
      read += records.length;
      assert.deepEqual(await recordsOf(file, format, next), all.slice(read));
    }
  });

  it("may be packed as files in the field are", async () => {
    const plain = await recordsIn(manyRows({ codec: "UNCOMPRESSED" }));
    const packers = { GZIP: gzipSync, ZSTD: zstdCompressSync, BROTLI: brotliCompressSync, SNAPPY: undefined };
    for (const [codec, pack] of Object.entries(packers)) {
      const compressors = pack && { [codec]: (bytes: Uint8Array) => new Uint8Array(pack(bytes)) };
      const file = manyRows({ codec: codec as "GZIP", ...(compressors && { compressors }) });
      assert.deepEqual(await recordsIn(file), plain, codec);
    }
  });

  it("is refused with a sentence where it is broken", async () => {
    const file = manyRows();
    assert.match(await faultOf(file.subarray(0, file.length - 100)), /^This Parquet file cannot be read/);
    const damaged = Buffer.from(file);
    damaged.fill(0xee, 20, 20_000);
    assert.match(await faultOf(damaged), /^This Parquet file cannot be read/);
  });
});
