import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readMailbox, splitMailboxes } from "./mailboxes.pure.ts";

describe("a mailbox as other services take it", () => {
  for (const [typed, name, address] of [
    ["ada@example.com", null, "ada@example.com"],
    ["  ada@example.com ", null, "ada@example.com"],
    ["<ada@example.com>", null, "ada@example.com"],
    ["Ada <ada@example.com>", "Ada", "ada@example.com"],
    ["Ada<ada@example.com>", "Ada", "ada@example.com"],
    ['"Lovelace, Ada" <ada@example.com>', "Lovelace, Ada", "ada@example.com"],
    ['"Ada \\"Countess\\" L" <ada@example.com>', 'Ada "Countess" L', "ada@example.com"],
    ['"a <b> c" <ada@example.com>', "a <b> c", "ada@example.com"],
    ["Zoë 🎉 <zoe@bücher.example>", "Zoë 🎉", "zoe@xn--bcher-kva.example"],
  ] as const)
    it(typed, () => assert.deepEqual(readMailbox(typed), { name, address }));

  for (const typed of [
    "",
    "ada",
    "ada@",
    "@example.com",
    "ada@example",
    "Ada ada@example.com",
    "Ada <ada@example.com",
    "Ada <ada@example.com> x",
    "Ada <b> <ada@example.com>",
    'A"da <ada@example.com>',
    "ada@example.com\r\nBcc: eve@example.com",
    "Ada\u0000 <ada@example.com>",
    `${"a".repeat(101)} <ada@example.com>`,
    `${"a".repeat(70)}@example.com`,
    "a@b.c, d@e.f",
  ])
    it(`is none: ${JSON.stringify(typed).slice(0, 40)}`, () => assert.equal(readMailbox(typed), null));
});

describe("a list of mailboxes", () => {
  it("is parted by commas, but not by those in a name", () => {
    for (const [typed, parts] of [
      ["", []],
      [" , ,", []],
      ["a@b.example", ["a@b.example"]],
      ["a@b.example,c@d.example", ["a@b.example", "c@d.example"]],
      ['"A, B" <a@b.example>, C <c@d.example>', ['"A, B" <a@b.example>', "C <c@d.example>"]],
      ['"A \\", B" <a@b.example>,c@d.example', ['"A \\", B" <a@b.example>', "c@d.example"]],
    ] as const)
      assert.deepEqual(splitMailboxes(typed), parts, typed);
  });

  it("of a quote without an end is one text, which is no mailbox", () => {
    const parts = splitMailboxes('"A, B <a@b.example>, c@d.example');
    assert.equal(parts.length, 1);
    assert.equal(readMailbox(parts[0] ?? ""), null);
  });
});
