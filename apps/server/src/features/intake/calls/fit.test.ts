import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Fields, fitted, fittedGroup, gapsOf } from "./fit.pure.ts";

const MOST_BYTES = 4_096;
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Texts of all lengths up to twice the limit, of characters of one to four bytes and of such as are written as escapes. */
const longText = fc
  .tuple(fc.constantFrom("a", "é", "语", "💥", '"', "\u0001", "\ud800"), fc.integer({ min: 0, max: 9_000 }))
  .map(([character, length]) => character.repeat(length));
const key = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  { weight: 1, arbitrary: longText },
  { weight: 1, arbitrary: fc.constantFrom("$trimmed", "id", "1", "constructor", "toString", "__proto__") },
);
const value = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue({ stringUnit: "binary" }) },
  { weight: 2, arbitrary: longText },
  { weight: 1, arbitrary: fc.array(longText, { maxLength: 3 }) },
);
const fields = fc
  .array(fc.tuple(key, value), { maxLength: 40 })
  .map((entries): Fields => Object.fromEntries(entries));

describe("what is too large for an object", () => {
  for (const listedAs of [null, "$trimmed"])
    it(`is left out, no more of it than has to be, the same each time (${listedAs ?? "without a mark"})`, () => {
      fc.assert(
        fc.property(fields, (given) => {
          const before = JSON.stringify(given);
          const { fields: kept, trimmed } = fitted(given, listedAs);
          assert.ok(bytesOf(kept) <= MOST_BYTES, `${bytesOf(kept)} bytes`);
          assert.equal(JSON.stringify(given), before, "what was given stays as it is");
          if (bytesOf(given) <= MOST_BYTES) return assert.deepEqual([kept, trimmed], [given, []]);
          assert.ok(trimmed.length > 0, "it is said that something was left out");
          // As it comes again, from other bytes.
          assert.deepEqual(fitted(Object.fromEntries(Object.entries(given)), listedAs), {
            fields: kept,
            json: JSON.stringify(kept),
            trimmed,
          });
          const out = new Set(trimmed);
          const own = Object.keys(given).filter((name) => name !== listedAs);
          for (const name of own) {
            assert.equal(Object.hasOwn(kept, name), !out.has(name), name);
            if (!out.has(name)) assert.equal(kept[name], given[name]);
          }
          const sizeOf = (name: string): number =>
            given[name] === undefined ? 0 : bytesOf({ [name]: given[name] });
          const largestKept = Math.max(0, ...own.filter((name) => !out.has(name)).map(sizeOf));
          const left = own.filter((name) => out.has(name));
          assert.ok(
            left.every((name) => sizeOf(name) >= largestKept),
            "the largest were left out",
          );
          const last = left.at(-1);
          const smallest = trimmed.at(-1);
          // With the last one that was left out, it would not fit, but for the comma that no last key has.
          if (listedAs === null && last !== undefined && smallest !== undefined)
            assert.ok(bytesOf({ ...kept, [smallest]: given[smallest] }) > MOST_BYTES - 1);
        }),
        { numRuns: 400 },
      );
    });

  it("is named in the object, at most ten of them, each cut short", () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`${"💥".repeat(60)}${n}`, "x".repeat(4_000 + n)]),
    );
    const { fields: kept, trimmed } = fitted({ ...many, small: 1 }, "$trimmed");
    assert.equal(trimmed.length, 30);
    assert.deepEqual(kept, { small: 1, $trimmed: Array(10).fill("💥".repeat(40)) });
  });

  it("is what the sender has in the place of the mark, first of all, and that is said", () => {
    for (const mark of ["x".repeat(5_000), ["huge".repeat(2_000)]]) {
      const { fields: kept, trimmed } = fitted({ plan: "pro", $trimmed: mark }, "$trimmed");
      assert.deepEqual([kept, trimmed], [{ plan: "pro", $trimmed: ["$trimmed"] }, ["$trimmed"]]);
    }
    assert.deepEqual(fitted({ $trimmed: ["a"] }, "$trimmed"), {
      fields: { $trimmed: ["a"] },
      json: '{"$trimmed":["a"]}',
      trimmed: [],
    });
  });

  it("is all after the first thousand keys, so that very many take no longer to leave out than to read", () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`key-${n}`, n]));
    const { fields: kept, trimmed } = fitted(many, "$trimmed");
    assert.deepEqual(trimmed.slice(0, 2), ["key-1000", "key-1001"]);
    assert.deepEqual(kept.$trimmed, trimmed.slice(0, 10));
    assert.ok(bytesOf(kept) <= MOST_BYTES && bytesOf(kept) > MOST_BYTES - 40);
    assert.equal(Object.keys(kept).length - 1 + trimmed.length, 5_000);
    assert.ok(Object.hasOwn(kept, "key-0"));
  });

  it("may be the name of a property alone", () => {
    const { fields: kept, trimmed } = fitted({ ["k".repeat(5_000)]: 1, b: 2 }, "$trimmed");
    assert.deepEqual(kept, { b: 2, $trimmed: ["k".repeat(40)] });
    assert.deepEqual(trimmed, ["k".repeat(5_000)]);
  });

  it("is judged to the byte", () => {
    const filled = (bytes: number): Fields => ({ a: 1, k: "x".repeat(bytes - '{"a":1,"k":""}'.length) });
    for (const listedAs of [null, "$trimmed"]) {
      assert.deepEqual(fitted(filled(MOST_BYTES), listedAs).trimmed, []);
      assert.deepEqual(fitted(filled(MOST_BYTES + 1), listedAs).trimmed, ["k"]);
    }
  });
});

describe("the traits of a group", () => {
  it("fit in a user's trait with the group's id, which is never left out", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 256 }), fields, (id, traits) => {
        const { fields: kept, trimmed } = fittedGroup(id, traits);
        assert.ok(bytesOf(kept) <= MOST_BYTES, `${bytesOf(kept)} bytes`);
        const group = kept.group as Fields;
        assert.equal(group.id, id);
        for (const name of Object.keys(traits).filter((each) => each !== "id"))
          assert.equal(Object.hasOwn(group, name), !trimmed.includes(name), name);
      }),
      { numRuns: 300 },
    );
  });

  it("are as large as they may be, and not a whole group less", () => {
    const apart = { group_id: "acme", group_name: null, group_plan: null };
    const alone = { group: { id: "acme" }, ...apart };
    const filled = (bytes: number): Fields => ({ k: "x".repeat(bytes - bytesOf(alone) - ',"k":""'.length) });
    assert.deepEqual(fittedGroup("acme", filled(MOST_BYTES - 1)).trimmed, []);
    assert.deepEqual(fittedGroup("acme", filled(MOST_BYTES + 1)), {
      fields: alone,
      json: JSON.stringify(alone),
      trimmed: ["k"],
    });
  });

  it("stand apart as well, as far as audiences look at them, and go with the group", () => {
    const apart = (traits: Fields) => {
      const { group: _, ...others } = fittedGroup("acme", traits).fields;
      return others;
    };
    assert.deepEqual(apart({ name: "Acme", plan: 2, seats: 5 }), {
      group_id: "acme",
      group_name: "Acme",
      group_plan: 2,
    });
    assert.deepEqual(apart({ name: "x".repeat(300), plan: { tier: "pro" } }), {
      group_id: "acme",
      group_name: null,
      group_plan: null,
    });
  });
});

describe("a number that could not be kept", () => {
  it("is found wherever it stood", () => {
    assert.deepEqual(
      gapsOf({
        a: 1,
        b: undefined,
        c: [1, [undefined]],
        d: { e: { f: undefined } },
        g: null,
        h: [null],
        i: {},
      }),
      ["b", "c", "d"],
    );
  });
});
