import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { lostNumbers } from "../../../platform/text/exact-json.ts";
import type { FileFormat } from "../schema.ts";
import { faultOf, fileOf, piecesOf, plainly, recordsIn, recordsOf, waysOf } from "./files.test-data.ts";
import { recognize } from "./recognize.ts";

const formatOf = (isGzip: boolean): FileFormat => ({
  format: "ndjson",
  isGzip,
  delimiter: null,
  columns: [],
});

const object = fc.dictionary(
  fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom("__proto__", "constructor", "a]b", '{"')),
  fc.jsonValue({ depthSize: "small" }),
  { maxKeys: 4 },
);
/** Numbers and texts that are stored as they are; others are faults or become texts, and have tests of their own. */
const isOrdinary = (value: unknown): boolean => {
  const json = JSON.stringify(value);
  return !/\\u0000|\\ud[89a-f]/i.test(json) && [...lostNumbers(json)].length === 0;
};
const objects = fc.array(object.filter(isOrdinary), { maxLength: 10 });
const blanks = fc.constantFrom("", " ", "\t", "\r\n", "\n \n");

const entriesOf = (value: object): unknown => JSON.parse(JSON.stringify(Object.entries(value)));

describe("JSON, as it was written", () => {
  it("comes back from lines, however they are cut and packed", async () => {
    const property = fc.asyncProperty(objects, fc.integer({ min: 1, max: 40 }), async (given, cut) => {
      const text = given.map((value) => `${JSON.stringify(value)}\r\n`).join("\n");
      const expected = given.map((value, index) => [1 + 2 * index, entriesOf(value)]);
      for (const [index, file] of waysOf(text, cut).entries())
        assert.deepEqual((await recordsOf(file, formatOf(index === 1))).map(plainly), expected);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it("comes back from a list, however it is written, cut and packed", async () => {
    const property = fc.asyncProperty(
      objects,
      blanks,
      blanks,
      fc.integer({ min: 1, max: 40 }),
      async (given, before, behind, cut) => {
        const texts = given.map((value, index) => JSON.stringify(value, null, index % 3));
        const text = `${before}[${texts.map((json) => `${before}${json}${behind}`).join(",")}${before}]${behind}`;
        for (const [index, file] of waysOf(text, cut).entries()) {
          const pieces = await piecesOf(file, formatOf(index === 1));
          const records = pieces.flatMap((piece) => piece.records);
          assert.deepEqual(
            records.map((record) => ("fields" in record ? entriesOf(record.fields) : record.fault)),
            given.map(entriesOf),
          );
          for (const { line } of records) assert.match(text.split("\n")[line - 1] ?? "", /\{/);
          for (const { next } of pieces)
            assert.deepEqual(await recordsOf(file, formatOf(index === 1), next), []);
        }
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });

  it("goes on at the end of any piece, with the same rest", async () => {
    const rows = Array.from({ length: 12_000 }, (_, index) =>
      JSON.stringify({ id: index, text: "é,]}".repeat(index % 200) }),
    );
    for (const text of [rows.join("\n"), `[\n${rows.join(",\n")}\n]\n`])
      for (const [index, file] of waysOf(text, 100_000).entries()) {
        const pieces = await piecesOf(file, formatOf(index === 1));
        const all = pieces.flatMap(({ records }) => records);
        assert.equal(all.length, rows.length);
        let read = 0;
        for (const { records, next } of pieces) {
          read += records.length;
          assert.deepEqual(await recordsOf(file, formatOf(index === 1), next), all.slice(read));
        }
      }
  });
});

describe("JSON that cannot be taken as it is", () => {
  it("has a fault for each line that is no object, and for texts that cannot be stored", async () => {
    const lines = [
      '{"id": 1}',
      '{"id": ',
      "[1]",
      "null",
      '{"id": "a\\u0000"}',
      '{"id": {"b": ["\\ud800"]}}',
      '{"a\\u0000": 1}',
      `{"deep": ${"[".repeat(70)}${"]".repeat(70)}}`,
      '{"id": 2}',
      '{"id": "\\\\u0000"}',
      '{"id": 3}',
      '{"id": 4}',
      '{"id": 5}',
      '{"id": 6}',
    ];
    const records = await recordsIn(lines.join("\n"));
    assert.deepEqual(records.slice(0, 10).map(plainly), [
      [1, [["id", 1]]],
      [2, "json", ""],
      [3, "json", ""],
      [4, "json", ""],
      [5, "nul", "id"],
      [6, "utf8", "id"],
      [7, "nul", ""],
      [8, "json", ""],
      [9, [["id", 2]]],
      [10, [["id", "\\u0000"]]],
    ]);
  });

  it("has a fault for bytes that are not UTF-8", async () => {
    const text = Buffer.concat([
      Buffer.from('{"a":"éé"}\n{"a":"'),
      Buffer.from([0xe9]),
      Buffer.from('"}\n{"a":1}'),
    ]);
    assert.deepEqual((await recordsIn(text)).map(plainly).slice(1), [
      [2, "utf8", ""],
      [3, [["a", 1]]],
    ]);
  });

  it("keeps numbers that JavaScript would change as texts", async () => {
    const [record] = await recordsIn(
      '{"id": 12345678901234567890, "n": {"m": [1e999, 0.1, 9007199254740993]}}',
    );
    assert.deepEqual(record && plainly(record), [
      1,
      [
        ["id", "12345678901234567890"],
        ["n", { m: ["1e999", 0.1, "9007199254740993"] }],
      ],
    ]);
  });

  it("does no harm with __proto__ as a key, or the same key twice", async () => {
    const [record] = await recordsIn(
      '{"__proto__": {"admin": true}, "a": 1, "a": 2, "b": {"__proto__": {"admin": true}}}',
    );
    assert(record && "fields" in record);
    assert.equal(record.fields.admin, undefined);
    assert.equal(record.fields.a, 2);
    assert.equal(Object.getPrototypeOf(record.fields), null);
    assert.equal(Object.getPrototypeOf(record.fields.b), null);
    assert.equal(Reflect.get({}, "admin"), undefined);
  });

  it("refuses a list that is cut off, or goes on behind its end, and a document that is no list", async () => {
    assert.match(await faultOf('[{"a": 1},\n{"a": 2}'), /cut off, in line 2/);
    assert.match(await faultOf('[{"a": 1},\n{"a": "2'), /cut off, in line 2/);
    assert.match(await faultOf('[{"a": 1}]\n[]'), /Something follows .* in line 1/);
    await assert.rejects(recordsOf(fileOf('[{"a": 1}] x', 1), formatOf(false)), /Something follows/);
    assert.match(await faultOf("[]"), /no objects/);
    assert.match(
      await faultOf('{\n  "users": [\n    {"id": 1},\n    {"id": 2}\n  ]\n}\n'),
      /one object a line/,
    );
    assert.match(await faultOf(`{"a": 1}\n{"a": "${"x".repeat(300_000)}"}\n`), /begins in line 2 is longer/);
    assert.match(
      await faultOf(`[{"a": 1}\n,{"a": "${"x".repeat(3_000_000)}"}]`),
      /begins in line 2 is longer/,
    );
  });

  it("has a fault for one value of a list that is broken, and takes the others", async () => {
    const records = await recordsIn('[{"a": 1}, {"a" 2}, {"a": 3}}, 4,, {"a": 5} {"a": 6}, {"a": 7}]');
    assert.deepEqual(
      records.map((record) => ("fault" in record ? record.fault.rule : record.fields.a)),
      [1, "json", "json", "json", "json", 7],
    );
  });
});

describe("the columns of JSON", () => {
  it("are the keys of its objects, in the order in which they come", async () => {
    const { format, samples } = await recognize(fileOf('\ufeff{"b": 1, "": 2}\n{"a": {"c": 1}, "b": 2}\n'));
    assert.deepEqual(format, { format: "ndjson", isGzip: false, delimiter: null, columns: ["b", "a"] });
    assert.equal(samples.length, 2);
  });
});
