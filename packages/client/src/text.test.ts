import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { beginningInUnits, beginningOf, characterAt, cutAfter, cutText } from "./text.ts";

const FAMILY = "👨‍👩‍👧‍👦";
const charactersOf = (text: string): string[] =>
  [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)].map(({ segment }) => segment);

/** Texts of characters that are hard to cut: joined emoji, flags, marks, syllables, line ends, halves of pairs. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        FAMILY,
        "🇦🇹",
        "🇦",
        "👋🏽",
        "e\u0301",
        "\u0301",
        "\u200d",
        "क्षि",
        "한",
        "각",
        "\r\n",
        "❤️",
        "1️⃣",
      ),
      fc.constantFrom("a", " ", "…", "\ud83d", "\ude00", "👩\u200d"),
      fc.string({ unit: "grapheme", maxLength: 3 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

describe("the beginning of a text", () => {
  it("is as many whole characters as fit, found by looking at each", () => {
    fc.assert(
      fc.property(texts, fc.nat({ max: 60 }), (text, max) => {
        let expected = "";
        for (const character of charactersOf(text)) {
          if ([...(expected + character)].length > max) break;
          expected += character;
        }
        if (expected !== text) expected = expected.replace(/\u200d+$/, "");
        assert.equal(beginningOf(text, max), expected.toWellFormed());
        const inUnits = beginningInUnits(text, max);
        assert.ok(inUnits.length <= max && expected.toWellFormed().startsWith(inUnits));
      }),
      { numRuns: 2_000 },
    );
  });

  it("leaves no half of a character, whatever is cut", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 60 }), (text, max) => {
        const cut = cutText(text, max);
        assert.ok([...cut].length <= max && cut.isWellFormed());
        if ([...text].length <= max) return assert.equal(cut, text.toWellFormed());
        assert.match(cut, /(?<![\u200d\s])…$/u);
        const kept = charactersOf(cut.slice(0, -1));
        const all = charactersOf(text.toWellFormed());
        // What was a joiner at the end of a character is gone with what it joined.
        assert.deepEqual(kept.slice(0, -1), all.slice(0, Math.max(kept.length - 1, 0)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("of a name of emoji ends with one of them", () => {
    assert.equal(cutText(FAMILY.repeat(30), 120), `${FAMILY.repeat(17)}…`);
    assert.equal(cutAfter(FAMILY.repeat(2), 13), `${FAMILY}…`);
    assert.equal(beginningOf("🇦🇹🇩🇪", 3), "🇦🇹");
    assert.equal(cutText("Hello there", 7), "Hello…");
    assert.equal(beginningOf(FAMILY, 3), "");
    assert.deepEqual(
      [characterAt(`${FAMILY}a`, 0), characterAt(`a${FAMILY}`, 3), characterAt("", 0)],
      [FAMILY, FAMILY, ""],
    );
  });

  it("of a hostile text is there as soon as that of another one", () => {
    // A way to cut that reads what is before a place again for each place would not come to its end here.
    for (const hostile of ["\u0301", "\u200d", " ", "👩\u200d", "🇦", "क्", "\ud83d", FAMILY]) {
      const cut = cutText(`a${hostile.repeat(1_000_000 / hostile.length)}b`, 400_000);
      assert.ok([...cut].length <= 400_000 && cut.isWellFormed());
    }
  });
});
