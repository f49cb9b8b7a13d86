import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError } from "../contract/errors.ts";
import { assertStorable, parseJsonBody, parseLenientJson, Unkept } from "./body.ts";

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
  it("refuses a body of more than a mebibyte with more than 200,000 values, which would hold up others", () => {
    const large = (values: number): string => `{"events":["${"x,".repeat(600_000)}"${",0".repeat(values)}]}`;
    // The object and the list count, and what follows the first value.
    assert.ok(parse(large(200_000 - 2)));
    const fault = { status: 413, message: /has more than 200000 values, send fewer at once$/ };
    assert.throws(() => parse(large(200_000 - 1)), fault);
    assert.ok(parse(`[${"0,".repeat(400_000)}0]`), "a smaller body may have more");
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

describe("the encoding of a body", () => {
  it("may be marked, once", () => {
    assert.deepEqual(parse('\ufeff{"a":"\ufeffb"}'), { a: "\ufeffb" });
    assert.equal(
      refusalOf(() => parse("\ufeff")),
      "body must be valid JSON",
    );
  });
  it("is named where it is another one", () => {
    const utf16 = Buffer.from('{"a":"b"}', "utf16le");
    for (const bytes of [
      utf16,
      Buffer.from(utf16).swap16(),
      Buffer.from("\ufeff{}", "utf16le"),
      Buffer.from("\ufeff{}", "utf16le").swap16(),
    ])
      assert.equal(
        refusalOf(() => parseJsonBody(bytes)),
        "body must be UTF-8: this is UTF-16 or UTF-32",
      );
  });
});

describe("numbers that cannot be kept", () => {
  const lost = (field: string) => `${field} is a number that cannot be kept exactly: send it as a text`;
  it("are refused with the field", () => {
    for (const [json, field] of [
      ['{"traits":{"discord_id":1161888007138312192}}', "traits.discord_id"],
      ['{"a":[{"b":[1,1e400]}]}', "a[0].b[1]"],
      ["[-1e-400]", "[0]"],
      ["1e400", "body"],
      ['{"a":1e400,"a":1}', "a"],
      [`{"${"k".repeat(300)}":1e400}`, `${"k".repeat(200)}…`],
    ] as const)
      assert.equal(
        refusalOf(() => parse(json)),
        lost(field),
      );
  });
  it("leave what is judged apart to its judge", () => {
    const apart = ([name]: readonly (string | number)[]) => (name === "items" ? 2 : null);
    const body = parseJsonBody(Buffer.from('{"items":[1,{"a":{"b":1e400}},1e400],"c":0.10}'), apart) as {
      items: unknown[];
    };
    const faults = body.items.map((item) => (item instanceof Unkept ? item.fault("item") : item));
    assert.deepEqual(faults, [1, lost("a.b"), lost("item")]);
    const many = (count: number) => Buffer.from(`{"items":[[${"1e400,".repeat(count)}0]]}`);
    assert.ok(parseJsonBody(many(10_000), apart));
    assert.equal(
      refusalOf(() => parseJsonBody(many(10_001), apart)),
      lost("items[0][10000]"),
    );
    const twice = parseJsonBody(Buffer.from('{"items":[1e400],"items":{}}'), apart);
    assert.deepEqual(Object.keys(twice as object), ["items"]);
  });
});

describe("a body of what cannot be sent otherwise", () => {
  const lenient = (json: string): unknown => parseLenientJson(Buffer.from(json));

  it("has a gap for a number that cannot be kept, wherever it stands", () => {
    assert.deepEqual(lenient('{"a":1e400,"b":[1,{"c":9007199254740993}],"d":0.10}'), {
      a: undefined,
      b: [1, { c: undefined }],
      d: 0.1,
    });
  });

  it("changes nothing but itself by such a number under a key that leads elsewhere", () => {
    const shared = Object.getOwnPropertyNames(Object.prototype);
    for (const json of [
      '{"__proto__":{"toString":1e400,"polluted":1e400}}',
      '{"a":{"\\u005f_proto__":{"toString":1e400}}}',
      '{"__proto__":{"constructor":{"prototype":{"toString":1e400}}}}',
      '{"a":{"constructor":{"prototype":{"toString":1e400}}},"a":{}}',
      '{"a":{"toString":{"call":1e400}},"a":{}}',
      '[{"__proto__":{"push":1e400}}]',
    ]) {
      lenient(json);
      assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), shared, json);
      assert.equal(String({}), "[object Object]", json);
      assert.equal(typeof [].push, "function", json);
    }
  });

  it("has texts that can be kept, and no prototype in disguise", () => {
    const lone = "\\ud800";
    assert.deepEqual(lenient(`{"a\\u0000b":"x\\u0000y${lone}z","c":["${lone}"]}`), {
      ab: "xy\ufffdz",
      c: ["\ufffd"],
    });
    for (const key of ["__proto__", "\\u005f_proto__", "__pro\\u0000to__"]) {
      const body = lenient(`{"${key}":{"a":1},"b":{"${key}":2,"c":3},"d":"\\u0000"}`);
      assert.equal(JSON.stringify(body), '{"b":{"c":3},"d":""}', key);
      assert.equal(Object.getPrototypeOf(body), Object.prototype);
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
