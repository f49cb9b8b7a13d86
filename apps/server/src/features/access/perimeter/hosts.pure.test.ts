import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { ANY_VALUE, placesIn, placesOf } from "./hosts.pure.ts";

/** Names of hosts as one expression says it, which reads a long word again from each of its characters. */
const NAME =
  /[\p{L}\p{N}\p{M}\ue000_-]+(?:\.[\p{L}\p{N}\p{M}\ue000_-]+)*\.(?:xn--[a-z0-9-]+|[\p{L}\p{M}]{2,})(?![\p{L}\p{N}\p{M}_-]|\.[\p{L}\p{N}])(?!@)/giu;

const pieces = fc.constantFrom(
  "a",
  "acme",
  "com",
  "xn--p1ai",
  "1",
  ".",
  "..",
  "@",
  "-",
  "_",
  ANY_VALUE,
  " ",
  "é",
  "\u0301",
  "мир",
  "example.com",
  "|",
  "'",
  "(",
  ")",
  "!",
  ",",
);

it("finds the names of hosts in any text, as an expression does that is too slow for long words", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
      const text = parts.join("").normalize("NFKC");
      const names = [...text.matchAll(NAME)].flatMap(([name]) => placesOf(`https://${name}/`));
      assert.deepEqual(placesIn(text), names);
    }),
    { numRuns: 5_000 },
  );
});

it("reads a word of any length, and finds the address that stands in it", () => {
  const word = "a".repeat(50_000);
  assert.deepEqual(placesIn(`${word} https://acme.example/${word} ${word}`), ["acme.example"]);
  assert.deepEqual(placesIn(`${word}://${word}.example ${"1.".repeat(20_000)}`), [`${word}:`]);
  assert.deepEqual(
    placesIn(`1+http://one.example,b.http://two.example`),
    placesIn("http://one.example,b.http://two.example"),
  );
});
