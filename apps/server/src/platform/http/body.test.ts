import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertStorable, parseJsonBody } from "./body.ts";
import { ApiError } from "./errors.ts";

const parse = (json: string): unknown => parseJsonBody(Buffer.from(json));

/** The message with which the call is refused. */
function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof ApiError && error.status === 400, String(error));
    return error.message;
  }
  throw new Error("It was expected to be refused, and was not.");
}

describe("parseJsonBody", () => {
  it("answers the value", () => {
    for (const json of ['{"a":[1,"é",null,true,{"b":-1.5e3}]}', "[]", '"text"', "null", "0", ' {"a":1}\n']) {
      assert.deepEqual(parse(json), JSON.parse(json));
    }
    assert.equal(parse(""), undefined);
  });
  it("refuses what is not JSON", () => {
    for (const json of [
      "{",
      "}",
      "nope",
      "{'a':1}",
      '{"a":1,}',
      "NaN",
      "1 2",
      '"\n"',
      '"\0"',
      "\0",
      "\ufeff\ufeff{}",
    ]) {
      assert.equal(
        refusalOf(() => parse(json)),
        "body must be valid JSON",
        JSON.stringify(json),
      );
    }
  });
  it("refuses a prototype in disguise, and keeps an innocent constructor", () => {
    for (const json of [
      '{"__proto__":{"admin":true}}',
      '{"a":[{"__proto__":1}]}',
      '{"\\u005f_proto__":{}}',
    ]) {
      assert.equal(
        refusalOf(() => parse(json)),
        "body must be valid JSON",
      );
    }
    assert.deepEqual(parse('{"constructor":"Bob the builder"}'), { constructor: "Bob the builder" });
  });
  it("refuses bytes that are not UTF-8", () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0xc0, 0x80],
      [0x22, 0xe2, 0x82],
    ]) {
      assert.equal(
        refusalOf(() => parseJsonBody(Buffer.from(bytes))),
        "body must be UTF-8",
      );
    }
  });
});

describe("how deep a body may be", () => {
  const nested = (levels: number, open = "[", close = "]"): string =>
    open.repeat(levels) + close.repeat(levels);
  it("64 levels, of lists or objects", () => {
    assert.ok(parse(nested(64)));
    assert.ok(parse(`${'{"a":'.repeat(63)}{}${"}".repeat(63)}`));
    assert.match(
      refusalOf(() => parse(nested(65))),
      /deeper than 64/,
    );
    assert.match(
      refusalOf(() => parse(`${'{"a":'.repeat(64)}{}${"}".repeat(64)}`)),
      /deeper than 64/,
    );
  });
  it("a million levels are refused as quickly", () => {
    assert.match(
      refusalOf(() => parse("[".repeat(1_000_000))),
      /deeper than 64/,
    );
  });
  it("counts levels, not brackets", () => {
    assert.ok(parse(`[${"[],".repeat(500)}{}]`));
    const text = JSON.stringify({
      a: "[".repeat(100),
      b: '"\\'.repeat(50) + "{".repeat(100),
      ["[".repeat(99)]: 1,
    });
    assert.deepEqual(parse(text), JSON.parse(text));
  });
});

describe("what no database can keep", () => {
  const cases: [string, string | null][] = [
    ['{"name":"a\\u0000b"}', "name"],
    ['{"name":"\\ud800"}', "name"],
    ['{"name":"\\udc00\\ud800"}', "name"],
    ['{"name":"\\ud83d\\udca5"}', null],
    ['{"name":"\\u00e9\\u2028\\uffff"}', null],
    ['{"name":"\\\\u0000"}', null],
    ['{"a":{"b":[1,{"c":"\\u0000"}]}}', "a.b[1].c"],
    ['{"a":[["ok","\\udfff"]]}', "a[0][1]"],
    ['{"traits":{"bad\\u0000key":1}}', "traits"],
    ['{"\\u0000":1}', "body"],
    ['"\\u0000"', "body"],
    ['["\\u0000"]', "body[0]"],
  ];
  for (const [json, field] of cases) {
    it(`${json}: ${field ?? "fine"}`, () => {
      if (field === null) assert.deepEqual(parse(json), JSON.parse(json));
      else {
        assert.equal(
          refusalOf(() => parse(json)),
          `${field} must not contain NUL characters or unpaired surrogates`,
        );
      }
    });
  }
  it("is looked for in other parts of a request too", () => {
    assert.match(
      refusalOf(() => assertStorable({ q: "\0" }, "query")),
      /^query\.q must not contain NUL/,
    );
    assertStorable({ q: "fine", list: ["a"] }, "query");
  });
});
