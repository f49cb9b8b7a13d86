import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { faultOf, fileOf, plainly, recordsOf } from "./files.test-data.ts";
import { recognize } from "./recognize.ts";
import { readPieces, START } from "./records.ts";

/** Bytes without any order, always the same ones. */
function noise(length: number): Buffer {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  };
  return Buffer.from(Array.from({ length }, next));
}

const OTHERS: readonly (readonly [content: string | Buffer, fault: RegExp])[] = [
  [
    "PK\x03\x04\x14\0\x06\0[Content_Types].xml xl/workbook.xml",
    /^This is an Excel workbook: save the sheet as CSV/,
  ],
  ["PK\x03\x04\x14\0\x06\0users.csv", /^This is a zip archive/],
  [Buffer.from("d0cf11e0a1b11ae1000000", "hex"), /^This is an old Excel workbook/],
  ["%PDF-1.7\n", /^This is a PDF/],
  ["\ufeff <!DOCTYPE html><html>", /^This is a web page/],
  ["<table><tr><td>", /^This is a web page/],
  ['<?xml version="1.0"?>', /^This is XML/],
  [Buffer.from("\x28\xb5\x2f\xfdabc", "latin1"), /packed with zstd/],
  [`BZh91AY&SY${"\0".repeat(9)}`, /packed with bzip2/],
  [gzipSync(gzipSync("a,b\n1,2\n")), /gzip twice/],
  [gzipSync(`${"users.csv".padEnd(257, "\0")}ustar`), /^This is a tar archive/],
  [gzipSync("PAR1"), /Parquet file within gzip/],
  [gzipSync("a,b\n1,2\n".repeat(1_000)).subarray(0, 40), /gzip file is broken/],
  [Buffer.from("1f8b0000000000", "hex"), /gzip file is broken/],
  ["PAR1 and nothing else that would be one", /^This Parquet file cannot be read/],
  [Buffer.from("\ufeffid,name\n1,José\n", "utf16le"), /UTF-16/],
  [Buffer.from("id,name\n1,José\n", "utf16le"), /UTF-16/],
  [Buffer.from("id,name\n1,José\n", "utf16le").swap16(), /UTF-16/],
  [Buffer.from("id,name\n1,José\n2,Zoë\n", "latin1"), /not UTF-8, but probably Latin-1/],
  [noise(5_000), /no file of text/],
];

describe("files that are something else", () => {
  for (const [content, fault] of OTHERS)
    it(`are refused: ${fault.source}`, async () => {
      assert.match(await faultOf(content), fault);
    });

  it("are not seen in lines of names that begin alike", async () => {
    assert.equal(await faultOf("BZh,a\n1,2\n"), "none");
    assert.equal(await faultOf("ORC,a\n1,2\n"), "none");
    assert.equal(await faultOf("PK,a\n1,2\n"), "none");
    assert.equal(await faultOf("[x],{y}\n1,2\n"), "none");
  });
});

describe("gzip", () => {
  it("is seen by its first bytes, and may have several members", async () => {
    const file = fileOf(Buffer.concat([gzipSync("a,b\n1,"), gzipSync("2\n3,4\n")]), 7);
    const { format, samples } = await recognize(file);
    assert.equal(format.isGzip, true);
    assert.deepEqual(samples.map(plainly), [
      [
        2,
        [
          ["a", "1"],
          ["b", "2"],
        ],
      ],
      [
        3,
        [
          ["a", "3"],
          ["b", "4"],
        ],
      ],
    ]);
  });

  it("is read in a bounded memory, whatever it unpacks to", async () => {
    const member = gzipSync(`${"x".repeat(1_000)},1\n`.repeat(1_000));
    const members = Array.from({ length: 300 }, () => member);
    const packed = Buffer.concat([gzipSync("a,b\n"), ...members]);
    const file = fileOf(packed);
    const { format } = await recognize(file);
    const before = process.memoryUsage().arrayBuffers;
    let [lines, most] = [0, 0];
    for await (const { records } of readPieces(file, format, START)) {
      lines += records.length;
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    assert.equal(lines, 300_000);
    assert.ok(most < 150 * 1_024 * 1_024, `${most} bytes`);
  });

  it("is not unpacked further than its first MiB where it is looked at, and one long record is refused", async () => {
    const packed = gzipSync(Buffer.alloc(64 * 1_024 * 1_024, "x"));
    assert.match(await faultOf(packed), /longer than 256 KiB/);
  });

  it("that is broken far behind is refused there, with the pieces before it", async () => {
    const text = `a,b\n${Array.from({ length: 400_000 }, (_, index) => `${index},${(index * 7_919) % 10_007}\n`).join("")}`;
    const whole = gzipSync(text);
    const file = fileOf(whole.subarray(0, whole.length - 1_000));
    const { format } = await recognize(file);
    let lines = 0;
    await assert.rejects(
      async () => {
        for await (const { records } of readPieces(file, format, START)) lines += records.length;
      },
      { name: "FileFault", message: /gzip file is broken/ },
    );
    assert.ok(lines > 300_000, `${lines}`);
  });
});

describe("a file", () => {
  it("has at most 1,000 samples, of its first MiB", async () => {
    const { samples } = await recognize(fileOf(`a,b\n${"1,2\n".repeat(5_000)}`));
    assert.equal(samples.length, 1_000);
    const { samples: long } = await recognize(fileOf(`a,b\n${`${"é".repeat(50_000)},2\n`.repeat(50)}`));
    assert.equal(long.length, 10);
  });

  it("is UTF-8 also where its first MiB ends within a character", async () => {
    const first = 1_024 * 1_024 - 1;
    const file = `a,b\n${"1,2\n".repeat(Math.floor((first - 4) / 4))}`.padEnd(first, "x");
    assert.equal(await faultOf(`${file}é,2\n`), "none");
  });

  it("whose bytes cannot be read is no fault of the file", async () => {
    const failure = new Error("The database is gone.");
    const broken = { byteLength: 100, read: () => Promise.reject(failure) };
    await assert.rejects(recognize(broken), failure);
    for (const [format, isGzip] of [
      ["csv", false],
      ["csv", true],
      ["ndjson", true],
      ["parquet", false],
    ] as const)
      await assert.rejects(recordsOf(broken, { format, isGzip, delimiter: ",", columns: ["a"] }), failure);
  });
});
