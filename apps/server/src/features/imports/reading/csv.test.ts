import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import type { FileFormat } from "../schema.ts";
import { rowReader } from "./csv-row.ts";
import { faultOf, fileOf, piecesOf, plainly, recordsIn, recordsOf, waysOf } from "./files.test-data.ts";
import { recognize } from "./recognize.ts";

const DELIMITERS = [",", ";", "\t", "|"];

const cell = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.string({
    unit: fc.constantFrom("a", " ", '"', ",", ";", "|", "\t", "\n", "\r", "é", "\r\n"),
    maxLength: 8,
  }),
  fc.constantFrom("", "__proto__", "0", "\ufffd", "\ufeff"),
);

type Table = { names: string[]; rows: string[][] };
const table: fc.Arbitrary<Table> = fc
  .integer({ min: 1, max: 5 })
  .chain((width) =>
    fc.record({
      names: fc.constant(["id", "__proto__", "Name é", "constructor", "e;mail,|"].slice(0, width)),
      rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 12 }),
    }),
  )
  .map(({ names, rows }) => ({
    names,
    // A NUL is a fault of its line, and has tests of its own.
    rows: rows.map((row) => row.map((text) => text.replaceAll("\0", "0"))),
  }));

type Style = { delimiter: string; lineEnd: string; always: boolean; mark: boolean; endsLine: boolean };
const style: fc.Arbitrary<Style> = fc.record({
  delimiter: fc.constantFrom(...DELIMITERS),
  lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
  always: fc.boolean(),
  mark: fc.boolean(),
  endsLine: fc.boolean(),
});

/** A table as CSV, with the physical line at which each row begins. */
function written({ names, rows }: Table, { delimiter, lineEnd, always, mark, endsLine }: Style) {
  const lines: number[] = [];
  let line = 1;
  const texts = [names, ...rows].map((row) => {
    lines.push(line);
    const text = row
      .map((value) =>
        always || value.trim() === "" || /[",;\t|\r\n]/.test(value)
          ? `"${value.replaceAll('"', '""')}"`
          : value,
      )
      .join(delimiter);
    line += 1 + (text.match(/\r\n|\n|\r/g)?.length ?? 0);
    return text;
  });
  const text = (mark ? "\ufeff" : "") + texts.join(lineEnd) + (endsLine ? lineEnd : "");
  return { text, lines: lines.slice(1) };
}

const formatOf = ({ names }: Table, { delimiter }: Style, isGzip: boolean): FileFormat => ({
  format: "csv",
  isGzip,
  delimiter,
  columns: names,
});

describe("CSV, as it was written", () => {
  it("comes back, however it is written, cut and packed", async () => {
    const property = fc.asyncProperty(
      table,
      style,
      fc.integer({ min: 1, max: 40 }),
      async (given, how, cut) => {
        const { text, lines } = written(given, how);
        const expected = given.rows.map((row, index) => [
          lines[index],
          row.map((value, at) => [given.names[at], value]),
        ]);
        for (const [index, file] of waysOf(text, cut).entries()) {
          const records = await recordsOf(file, formatOf(given, how, index === 1));
          assert.deepEqual(records.map(plainly), expected);
        }
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  it("is recognized with its delimiter and names, where more than one column tells it", async () => {
    const property = fc.asyncProperty(table, style, async (given, how) => {
      fc.pre(given.names.length > 1);
      const { text } = written(given, how);
      const { format, samples } = await recognize(fileOf(text));
      assert.deepEqual(format, formatOf(given, how, false));
      assert.equal(samples.length, given.rows.length);
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it("is recognized where another delimiter makes a line of names of the whole file", async () => {
    for (const row of [
      ["", "||", "|a"],
      ["", "||", ""],
    ]) {
      const { text } = written(
        { names: ["id", "name", "mail|"], rows: [row] },
        { delimiter: ",", lineEnd: "\n", always: false, mark: false, endsLine: false },
      );
      assert.equal((await recognize(fileOf(text))).format.delimiter, ",", text);
    }
    const onlyNames = await recognize(fileOf("id;name\n"));
    assert.equal(onlyNames.format.delimiter, ";");
  });

  it("is read as another reader does, where that takes it", () => {
    const alphabet = fc.constantFrom("a", ",", '"', '""', '",', ',"', "\n", "\r\n", "\r", '"\n', '\n"');
    const property = fc.property(fc.string({ unit: alphabet, maxLength: 14 }), (text) => {
      let expected: string[][];
      try {
        expected = parse(text, {
          record_delimiter: ["\r\n", "\n", "\r"],
          relax_column_count: true,
          skip_empty_lines: true,
        });
      } catch {
        return;
      }
      const read = rowReader(",");
      const window = { bytes: Buffer.from(text), isLast: true };
      const rows: (readonly string[])[] = [];
      for (let at = 0; at < window.bytes.length; ) {
        const row = read(window, at, 1);
        assert(row);
        if (row.cells.length > 0) rows.push(row.cells);
        at = row.end;
      }
      assert.deepEqual(rows, expected);
    });
    fc.assert(property, { numRuns: 5_000 });
  });

  it("goes on at the end of any piece, with the same rest", async () => {
    const rows = Array.from(
      { length: 23_000 },
      (_, index) => `${index},"a\n""${"x".repeat(index % 700)}é"\r\n`,
    );
    for (const [index, file] of waysOf(`id,text\r\n${rows.join("")}`, 100_000).entries()) {
      const format: FileFormat = {
        format: "csv",
        isGzip: index === 1,
        delimiter: ",",
        columns: ["id", "text"],
      };
      const pieces = await piecesOf(file, format);
      const all = pieces.flatMap(({ records }) => records);
      assert.equal(all.length, rows.length);
      assert.equal(all.at(-1)?.line, 2 * rows.length);
      assert.ok(pieces.every(({ records }) => records.length <= 5_000));
      assert.deepEqual(
        pieces.map(({ isEnd }) => isEnd),
        pieces.map((_, at) => at === pieces.length - 1),
      );
      let read = 0;
      for (const { records, next } of pieces) {
        read += records.length;
        assert.deepEqual(await recordsOf(file, format, next), all.slice(read));
      }
    }
  });
});

describe("CSV with faults in lines", () => {
  it("has a fault for a line with too many or too few cells, and none for an empty line", async () => {
    const records = await recordsIn("a,b\n1,2\n\n3\n  \n4,5,6\n7,8");
    assert.deepEqual(records.map(plainly), [
      [
        2,
        [
          ["a", "1"],
          ["b", "2"],
        ],
      ],
      [4, "cells", ""],
      [6, "cells", ""],
      [
        7,
        [
          ["a", "7"],
          ["b", "8"],
        ],
      ],
    ]);
  });

  it("has a fault for bytes that are not UTF-8, a NUL, and text behind a quote", async () => {
    const broken = Buffer.concat([
      Buffer.from("id,name\n1,é\n2,éé\n3,"),
      Buffer.from([0xe9, 0x0a]),
      Buffer.from('4,a\0b\n5,"x"y\n6,"z" \n7,5" pipe\n8,\ufffd\n'),
    ]);
    assert.deepEqual((await recordsIn(broken)).map(plainly), [
      [
        2,
        [
          ["id", "1"],
          ["name", "é"],
        ],
      ],
      [
        3,
        [
          ["id", "2"],
          ["name", "éé"],
        ],
      ],
      [4, "utf8", "name"],
      [5, "nul", "name"],
      [6, "quote", ""],
      [
        7,
        [
          ["id", "6"],
          ["name", "z"],
        ],
      ],
      [
        8,
        [
          ["id", "7"],
          ["name", '5" pipe'],
        ],
      ],
      [
        9,
        [
          ["id", "8"],
          ["name", "\ufffd"],
        ],
      ],
    ]);
  });

  it("refuses the file where a quote never closes, or a record is too long, and says in which line", async () => {
    assert.match(await faultOf('a,b\n1,2\n3,"4\n5,6\n'), /begins in line 3, and never closes/);
    assert.match(
      await faultOf(`a,b\n1,2\n3,"${"4\n".repeat(2_000_000)}`),
      /begins in line 3 is longer than 256 KiB/,
    );
    const most = "x".repeat(256 * 1_024 - 3);
    assert.equal(await faultOf(`a,b\n1,${most}\n1,2`), "none");
    assert.match(await faultOf(`a,b\n1,${most}y\n1,2`), /begins in line 2 is longer/);
  });
});

describe("the names of CSV columns", () => {
  it("are trimmed, unique and never empty", async () => {
    const { format } = await recognize(fileOf(" id ,email,,email,email 2,\u00a0\n1,2,3,4,5,6\n"));
    assert.deepEqual(format.columns, ["id", "email", "column 3", "email 2", "email 2 2", "column 6"]);
  });

  it("stand below a line that names the delimiter, and below empty lines", async () => {
    const records = await recordsIn("\ufeffsep=;\r\n\r\na;b\r\n1,5;2\r\n");
    assert.deepEqual(records.map(plainly), [
      [
        4,
        [
          ["a", "1,5"],
          ["b", "2"],
        ],
      ],
    ]);
  });

  it("are missing where an address stands in their place, or nothing", async () => {
    assert.match(await faultOf("ada@example.com\nbob@example.com\n"), /^Line 1 has an address/);
    assert.match(await faultOf("\n\n"), /empty/);
    assert.match(await faultOf(""), /empty/);
    assert.match(await faultOf(`${"a,".repeat(1_000)}b\n`), /has 1001 columns/);
  });

  it("alone are a file without records", async () => {
    assert.deepEqual(await recordsIn("email"), []);
    assert.deepEqual((await recordsIn("email\nada@example.com")).map(plainly), [
      [2, [["email", "ada@example.com"]]],
    ]);
  });
});
