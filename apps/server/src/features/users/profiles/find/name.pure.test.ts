import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { calledOf, NAME_TRAITS, nameOf } from "./name.pure.ts";

const CHOSEN = "nickname";

describe("the name of a user", () => {
  it("is the chosen trait, else the whole name, else first and last name, else the address", () => {
    const all = {
      nickname: "Countess",
      name: "Ada Lovelace",
      full_name: "Ada King",
      first_name: "Augusta",
      lastName: "Byron",
      email: "ada@example.com",
    };
    const { nickname: _, ...unchosen } = all;
    const { name: __, full_name: ___, ...parts } = unchosen;
    for (const [traits, expected] of [
      [all, "Countess"],
      [{ ...all, nickname: " \t" }, "Ada Lovelace"],
      [{ ...all, nickname: 7 }, "Ada Lovelace"],
      [unchosen, "Ada Lovelace"],
      [{ ...unchosen, name: "\u200b\u2800\u3164\u202e" }, "Ada King"],
      [parts, "Augusta Byron"],
      [{ ...parts, first_name: null }, "Byron"],
      [{ ...parts, lastName: ["Byron"] }, "Augusta"],
      [{ email: " ada@example.com " }, "ada@example.com"],
      [{ email: { kind: "work" }, name: true }, null],
      [{}, null],
    ] as const)
      assert.equal(calledOf(traits, CHOSEN), expected, JSON.stringify(traits));
    assert.equal(calledOf(all, null), "Ada Lovelace");
    assert.equal(
      calledOf({ name: "<b>Ada</b> 👩‍👩‍👧 \u202eadA" }, null),
      "<b>Ada</b> 👩‍👩‍👧 \u202eadA",
      "as it is",
    );
    assert.equal(calledOf({ name: "x".repeat(10_000) }, null)?.length, 200);
    assert.equal(calledOf(Object.create({ name: "inherited" }), "toString"), null);
  });

  it("is a short text with something to see, which a trait says; whatever the traits are", () => {
    const texts = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.constantFrom("", " ", "\u200d", "Ada"),
    );
    const keys = fc.constantFrom(...NAME_TRAITS, "email", CHOSEN, "__proto__", "plan");
    const traits = fc.dictionary(keys, fc.oneof(texts, fc.jsonValue({ maxDepth: 1 })));
    fc.assert(
      fc.property(traits, fc.constantFrom(null, CHOSEN, "__proto__"), (given, chosen) => {
        const called = calledOf(given, chosen);
        if (called === null) return nameOf(given, chosen) === null;
        const texts = Object.values(given).filter((value): value is string => typeof value === "string");
        assert.ok(called.length <= 401 && /\S/.test(called.replaceAll(/\p{Cf}|\p{Cc}/gu, "")));
        // A longer text is cut; two parts have a blank between.
        assert.ok(
          called.length >= 200 ||
            texts.some((text) => text.trim() === called) ||
            texts.some((text) => text.trim() !== "" && called.startsWith(`${text.trim()} `)),
        );
        return true;
      }),
    );
  });
});
