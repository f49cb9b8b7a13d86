import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { rounds, seedOf } from "../../../apps/server/test/rounds.ts";
import { type WordOp, wordOps } from "./word-ops.ts";

/** Ops as one line: `[-gone-]` and `[+come+]` among what stays. */
const drawn = (ops: readonly WordOp[]): string =>
  ops
    .map(({ op, words }) => (op === "keep" ? words : op === "delete" ? `[-${words}-]` : `[+${words}+]`))
    .join("");

const joined = (ops: readonly WordOp[], ...kinds: WordOp["op"][]): string =>
  ops.flatMap(({ op, words }) => (kinds.includes(op) ? [words] : [])).join("");

const part = fc.oneof(
  fc.constantFrom("one", "two", "don't", " ", "  ", "\n", "!", ",", "{{", "}}", "🎉", "👩‍👩‍👧", "今天", "מה"),
  fc.constantFrom(
    "{{ user.name }}",
    '{{ user.first_name | default: "there" }}',
    "https://a.example/x?u={{ user.id }}",
  ),
  fc.string({ unit: "binary", maxLength: 3 }),
);
const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));

describe("what becomes of each word", () => {
  it("is the text before in what stays or goes, and the text after in what stays or comes", () => {
    fc.assert(
      fc.property(text, text, text, (start, one, other) => {
        const [before, after] = [start + one, start + other];
        const ops = wordOps(before, after);
        assert.equal(joined(ops, "keep", "delete"), before);
        assert.equal(joined(ops, "keep", "insert"), after);
        assert.ok(ops.every(({ op, words }, index) => words !== "" && op !== ops[index - 1]?.op));
        if (before === after) assert.ok(ops.every(({ op }) => op === "keep"));
      }),
      { numRuns: rounds(300, 20_000), seed: seedOf() },
    );
  });

  for (const [before, after, ops] of [
    ["Hi {{ user.name }}", "Hi {{ user.name }} there", "Hi {{ user.name }}[+ there+]"],
    ["Hi {{ user.name }}!", "Hi {{ user.name }}, you!", "Hi {{ user.name }}[+, you+]!"],
    ["Go now", "Go now!", "Go now[+!+]"],
    [
      "(read https://a.example/x)",
      "(read https://a.example/y).",
      "(read [-https://a.example/x-][+https://a.example/y+])[+.+]",
    ],
    ["Nice 🎉", "Nice 👩‍👩‍👧🎉", "Nice [+👩‍👩‍👧+]🎉"],
    ["**Bold** text", "_Bold_ text", "[-**-][+_+]Bold[-**-][+_+] text"],
    ["one two three", "four five six", "[-one two three-][+four five six+]"],
    ["don't go", "won't go", "[-don't-][+won't+] go"],
    ['is "pro"', 'is one of "pro", "team"', 'is [+one of +]"pro"[+, "team"+]'],
    ["", "new", "[+new+]"],
    ["gone", "", "[-gone-]"],
  ] as const)
    it(`marks no more than what differs: ${ops}`, () => assert.equal(drawn(wordOps(before, after)), ops));

  it("finds the one word that changed in a mail as long as one may be", () => {
    const half = "word ".repeat(10_000);
    assert.equal(
      drawn(wordOps(`${half}old ${half}end`, `${half}new ${half}end`)).replaceAll(half, "…"),
      "…[-old-][+new+] …end",
    );
  });
});
