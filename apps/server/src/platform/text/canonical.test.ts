import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { canonicalHash, canonicalJson } from "./canonical.ts";

/** RFC 8785 once more, written from its text: escapes by its table, keys compared unit by unit. */
function second(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  // Section 3.2.2.3 takes over what ECMAScript's Number::toString says; -0 is 0.
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map(second).join(",")}]`;
  const members = Object.entries(value as object);
  members.sort(([a], [b]) => compareUnits(a, b));
  return `{${members.map(([key, member]) => `${quoted(key)}:${second(member)}`).join(",")}}`;
}

const SHORT: Readonly<Record<number, string>> = {
  8: "\\b",
  9: "\\t",
  10: "\\n",
  12: "\\f",
  13: "\\r",
  34: '\\"',
  92: "\\\\",
};

function quoted(text: string): string {
  let inside = "";
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const escaped = unit < 32 ? `\\u${unit.toString(16).padStart(4, "0")}` : text.charAt(i);
    inside += SHORT[unit] ?? escaped;
  }
  return `"${inside}"`;
}

function compareUnits(a: string, b: string): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = a.charCodeAt(i) - b.charCodeAt(i);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");

const VECTOR = {
  mutation: { type: "status", action: "pause" },
  campaignId: "cmp_019b0000-0000-7000-8000-000000000001",
  evaluationAt: 1_790_000_000_000,
};

describe("canonicalJson", () => {
  it("says what a second implementation says, of random JSON", () => {
    const string = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }));
    const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.oneof(string, number, fc.boolean(), fc.constant(null)),
        fc.array(tie("value"), { maxLength: 5 }),
        fc.dictionary(string, tie("value"), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(value, (each) => {
        assert.equal(canonicalJson(each), second(each));
        assert.equal(canonicalHash(each), sha256(second(each)));
        // What is written and read again, or has its keys in another order, has the same text.
        assert.equal(canonicalJson(JSON.parse(JSON.stringify(each))), second(each));
      }),
      { numRuns: 2_000 },
    );
  });

  it("orders keys by UTF-16 units, and writes numbers as JavaScript does", () => {
    const keys = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 };
    assert.equal(
      canonicalJson(keys),
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
    );
    assert.equal(
      canonicalJson([-0, 1.5e300, 1e21, 1e-7, 333333333.3333333, 5e-324]),
      "[0,1.5e+300,1e+21,1e-7,333333333.3333333,5e-324]",
    );
  });

  it("refuses what JSON cannot say", () => {
    for (const value of [undefined, Number.NaN, [Number.POSITIVE_INFINITY], { a: "\ud800" }])
      assert.throws(() => canonicalJson(value));
  });
});

describe("canonicalHash", () => {
  it("is the SHA-256 of that text", () => {
    assert.equal(canonicalHash(VECTOR), "a5aa62743a0fda4cf2b7e1be3a04a380f83642c5557ef3a678abf8740356b938");
  });

  it("begins with what comes before", () => {
    assert.equal(canonicalHash({ a: 1 }, "ff"), sha256('ff{"a":1}'));
  });
});
