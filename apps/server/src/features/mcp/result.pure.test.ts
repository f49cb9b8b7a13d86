import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAX_CHARACTERS, showBody } from "./result.pure.ts";

const list = (count: number, text: string): string =>
  JSON.stringify({ things: Array.from({ length: count }, (_, id) => ({ id, text })), total: count });

describe("what a model gets of an answer", () => {
  it("is all of it where it fits, and one thing by its id always", () => {
    const small = list(3, "x");
    assert.deepEqual(showBody("listThings", small, true), { json: small, note: null });
    const large = JSON.stringify({ thing: "x".repeat(MAX_CHARACTERS) });
    assert.deepEqual(showBody("getThing", large, false), { json: large, note: null });
  });

  it("has long texts shortened before anything is left out", () => {
    const { json, note } = showBody("listThings", list(20, "😀".repeat(1_000)), true);
    const { things, total } = JSON.parse(json) as { things: { text: string }[]; total: number };
    assert.equal(things.length, 20);
    assert.equal(total, 20);
    for (const { text } of things) {
      assert.ok(text.isWellFormed() && text.endsWith("…") && [...text].length <= 301);
    }
    assert.match(note ?? "", /shortened and end in "…"\. Ask for one of the things by its id/);
  });

  it("has as many items as fit, and says how to go on", () => {
    const { json, note } = showBody("listThings", list(100, "x".repeat(1_000)), true);
    assert.ok(json.length <= MAX_CHARACTERS);
    const { things } = JSON.parse(json) as { things: unknown[] };
    assert.ok(things.length > 50 && things.length < 100, `${things.length}`);
    assert.ok(
      note?.startsWith(`Only the first ${things.length} of these 100 things are shown: ask with perPage`),
    );
    assert.match(showBody("listThings", list(100, "x".repeat(1_000)), false).note ?? "", /narrow it down/);
  });

  it("is cut where nothing could be left out", () => {
    for (const [operation, json] of [
      ["checkThing", JSON.stringify({ samples: "😀".repeat(MAX_CHARACTERS) })],
      [
        "listThings",
        JSON.stringify({ things: [Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [n, n]))] }),
      ],
    ] as const) {
      const found = showBody(operation, json, true);
      assert.ok(found.json.length <= MAX_CHARACTERS && found.json.isWellFormed());
      assert.match(found.note ?? "", /Cut after 24000 of \d+ characters/);
    }
  });
});
