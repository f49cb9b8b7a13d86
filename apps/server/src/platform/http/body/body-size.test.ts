import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { bytesWithoutEscapes } from "./body-size.ts";

/** JSON with some of its characters as escapes, which mean the same. */
const escaped = (json: string, isEscaped: (character: string) => boolean): string =>
  json.replace(/[\u0080-\uffff]/g, (character) =>
    isEscaped(character) ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}` : character,
  );

/** Half of a character has no UTF-8 of its own: both come as escapes. */
const isHalf = (character: string): boolean => /[\ud800-\udfff]/.test(character);

it("a body is as large as the same one without escapes, whichever of its characters come as such", () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: "binary" }), fc.integer({ min: 1, max: 9 }), (json, each) => {
      const isEscaped = (character: string) => character.charCodeAt(0) % each === 0 || isHalf(character);
      assert.equal(bytesWithoutEscapes(Buffer.from(escaped(json, isEscaped))), Buffer.byteLength(json));
    }),
  );
});

it("an escape that is none takes the bytes that it takes", () => {
  for (const json of ['"\\', '"\\u', '"\\uzzzz"', '"\\u12', '"\\\\u0441"', '"\\u0000\\u0022\\u005c\\n"'])
    assert.equal(
      bytesWithoutEscapes(Buffer.from(json)),
      json.length - (json.includes("\\u0022") ? 8 : 0),
      json,
    );
});
