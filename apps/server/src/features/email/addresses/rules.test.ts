import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseSender } from "../sender/mailbox.pure.ts";
import { parseAddress } from "./rules.ts";

const L63 = "d".repeat(63);

describe("an address", () => {
  const cases: readonly [unknown, string | null][] = [
    ["ada@example.com", "ada@example.com"],
    ["  ada@example.com\n", "ada@example.com"],
    ["Ada.Lovelace+news@Mail.EXAMPLE.com", "Ada.Lovelace+news@mail.example.com"],
    ["o'neil_%/=?^`{|}~!#$&*-@example.com", "o'neil_%/=?^`{|}~!#$&*-@example.com"],
    ["ada@b\u00fccher.example", "ada@xn--bcher-kva.example"],
    ["ada@bu\u0308cher.example", "ada@xn--bcher-kva.example"],
    ["ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"],
    [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
    [`${"a".repeat(65)}@example.com`, null],
    [`ada@${L63}.${L63}.${L63}.${"d".repeat(58)}`, `ada@${L63}.${L63}.${L63}.${"d".repeat(58)}`],
    [`ada@${L63}.${L63}.${L63}.${"d".repeat(59)}`, null],
    [`ada@d${L63}.example`, null],
    ["ada", null],
    ["@example.com", null],
    ["ada@", null],
    ["", null],
    ["ada@localhost", null],
    ["ada@example.com.", null],
    ["ada@.example.com", null],
    ["ada@-example.com", null],
    ["ada@under_score.example", null],
    ["ada@192.0.2.1", null],
    ["ada@[192.0.2.1]", null],
    ["ada@0x7f.1", null],
    ["ada@example.com/x", null],
    ["ada@example.com:25", null],
    ["ada@exam%70le.com", null],
    ["ada@ example.com", null],
    ["ada@exam ple.com", null],
    ["ada@exam\tple.com", null],
    ["ada@example.com\r\nBcc: x@example.com", null],
    ["ada@example.com,bob@example.com", null],
    ["ada bob@example.com", null],
    [".ada@example.com", null],
    ["ada.@example.com", null],
    ["a..da@example.com", null],
    ['"ada"@example.com', null],
    ["\u00e4da@example.com", null],
    ["\u212aate@example.com", null],
    ["a\0da@example.com", null],
    ["ada@example.com\0", null],
    ["a@b@example.com", null],
    ["x".repeat(1_000_000), null],
    [`ada@${"x".repeat(1_000_000)}`, null],
    [null, null],
    [undefined, null],
    [7, null],
    [["ada@example.com"], null],
    [{ toString: () => "ada@example.com" }, null],
  ];
  for (const [value, address] of cases) {
    it(`${JSON.stringify(value)?.slice(0, 60)} is ${address === null ? "none" : "one"}`, () => {
      const found = parseAddress(value);
      assert.equal(found?.address ?? null, address);
      assert.equal(found?.domain ?? null, address === null ? null : address.slice(address.indexOf("@") + 1));
    });
  }

  it("of a sender follows the same rule", () => {
    for (const [value, address] of cases) {
      // A line that a person types is brought to NFC first, which makes a K of the Kelvin sign.
      if (typeof value !== "string" || value.includes("\u212a")) continue;
      assert.equal(parseSender(value)?.address ?? null, address, value.slice(0, 60));
    }
  });
});
