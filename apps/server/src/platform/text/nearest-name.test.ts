import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { nearestNames } from "./nearest-name.ts";

/** Edits between two texts, by their definition: all cells, nothing cut off. */
function plainDistance(a: string, b: string): number {
  const cells = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const cellAt = (i: number, j: number): number => cells[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      let edits = Math.min(
        cellAt(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        cellAt(i - 1, j) + 1,
        cellAt(i, j - 1) + 1,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, cellAt(i - 2, j - 2) + 1);
      const row = cells[i];
      if (row !== undefined) row[j] = edits;
    }
  return cellAt(a.length, b.length);
}

describe("the nearest names", () => {
  for (const [name, known, expected] of [
    ["signed_up", ["sign_up", "signed_in", "paid"], ["sign_up", "signed_in"]],
    ["SignedUp", ["signed_up", "signed_in"], ["signed_up"]],
    ["x", ["yz", "plan"], []],
    ["abcd", ["abce", "abcf", "abcg", "abch"], ["abce", "abcf", "abcg"]],
    ["signed_pu", ["signed_up", "paid"], ["signed_up"]],
    ["signedup", ["signed_up", "Signed Up", "signup"], ["Signed Up", "signed_up"]],
    ["plan", ["plna", "plans", "pal"], ["plans", "plna"]],
    ["a", ["b", "c", "d", "e"], ["b", "c", "d"]],
    ["plan", ["plan"], []],
    ["targetting", ["targeting", "audience"], ["targeting"]],
    ["x", ["nothing like it"], []],
    ["", ["", "a"], ["a"]],
    ["n".repeat(129), ["n".repeat(128)], []],
    ["n".repeat(127), ["n".repeat(128)], ["n".repeat(128)]],
    ["checkout_started_twice", ["checkout_ended"], []],
  ] as const)
    it(`${name.slice(0, 30)}: ${expected.join().slice(0, 40) || "none"}`, () =>
      assert.deepEqual(nearestNames(name, known), expected));

  it("are as near as edits are counted by their definition", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(word, fc.uniqueArray(word, { maxLength: 12 }), (name, known) => {
        const limit = Math.min(Math.max(2, Math.ceil(name.length / 3) + 1), 5);
        const near = known
          .filter((each) => each !== name)
          .map((each) => ({ each, edits: plainDistance(name, each) }))
          .filter(({ edits }) => edits < limit);
        const least = Math.min(...near.map(({ edits }) => edits));
        const expected = near.filter(({ edits }) => edits === least).map(({ each }) => each);
        assert.deepEqual(nearestNames(name, known), expected.sort().slice(0, 3));
      }),
      { numRuns: 2_000, seed: 5 },
    );
  });

  it("are looked for among those of a like length first", () => {
    const long = Array.from({ length: 5_000 }, (_, i) => `signed_up_as_${i}`);
    assert.deepEqual(nearestNames("signed_pu", [...long, "signed_up"]), ["signed_up"]);
  });
});
