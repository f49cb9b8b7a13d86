import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BARE, inside, type Mail, mailOf, TRACKED, unescapeHtml } from "../../../../../test/compiled-mail.ts";

/** Small, seeded: the same texts in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const BITS = [
  "a",
  "word ",
  " ",
  "  ",
  "\t",
  "=",
  "=3D",
  "=\n",
  ".",
  "\n.",
  "\n",
  "\n\n",
  "\r\n",
  "\r",
  "From ",
  "\nFrom me",
  "--=_tidings",
  "<",
  ">",
  "&",
  "&amp;",
  '"',
  "'",
  "é",
  "ß",
  "漢",
  "🎉",
  "👩‍👩‍👧",
  "مرحبا",
  "\u00a0",
  "\u2028",
  "\u{f0000}",
  "\u{fffff}",
  "\ufffd",
  "\u0001",
  "\u007f",
  "~",
  "\\",
  "%41",
  "x".repeat(74),
  "x".repeat(75),
  "x".repeat(76),
  "🎉".repeat(12),
  "=".repeat(30),
  " ".repeat(80),
] as const;

const texts = (count: number): string[] => {
  const next = random(20_260_822);
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(next() * 24) }, () => BITS[Math.floor(next() * BITS.length)]).join(
      "",
    ),
  );
};

const breaks = (text: string): string => text.replace(/\r\n?/g, "\n");

function assertLegal({ raw }: Mail): void {
  assert.match(raw, /^[\t\r\n -~]*$/, "7-bit");
  assert.doesNotMatch(raw, /[^\r]\n|\r[^\n]/, "CRLF alone");
  const [head = ""] = raw.split("\r\n\r\n", 1);
  const lines = raw.slice(head.length).split("\r\n");
  for (const line of lines) {
    assert.ok(line.length <= 76, line);
    assert.doesNotMatch(line, /[ \t]$|^\.|^From /);
    if (!/^(--=_tidings|Content-)/.test(line)) assert.doesNotMatch(line.replace(/=[0-9A-F]{2}|=$/g, ""), /=/);
  }
  for (const line of head.split("\r\n")) assert.ok(line.length <= 998, line);
}

describe("the encoding of a mail", () => {
  it("gives every value back as it was, in text and HTML", async () => {
    for (const text of texts(250)) {
      const mail = await mailOf(
        { body: "[{{ user.x }}]{{ user.x }}[{{ user.y }}]\n\n    <{{ user.x }}>" },
        { x: text },
      );
      assertLegal(mail);
      assert.equal(mail.textPart, `[${breaks(text)}]${breaks(text)}[]\n\n    <${breaks(text)}>`);
      assert.equal(unescapeHtml(inside(mail.htmlPart, "p")), `[${breaks(text)}]${breaks(text)}[]`);
      assert.equal(unescapeHtml(inside(mail.htmlPart, "pre")), `<${breaks(text)}>`);
    }
  });

  it("gives every static text back as it was", async () => {
    for (const text of texts(250)) {
      const mail = await mailOf({ body: `\`\`\`\n[${text}]{{ user.x }}${text}|\n\`\`\`` }, { x: "-" });
      assertLegal(mail);
      const code = `[${breaks(text)}]-${breaks(text)}|`;
      assert.equal(unescapeHtml(inside(mail.htmlPart, "pre")), code);
    }
  });

  it("gives every subject back on one line, static or filled in", async () => {
    for (const text of texts(120)) {
      const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
      for (const mail of [
        await mailOf({ subject: `a${text}z` }),
        await mailOf({ subject: "a{{ user.x }}z" }, { x: text }),
      ]) {
        assertLegal(mail);
        assert.equal(mail.subject, `a${line}z`);
      }
    }
  });

  it("takes a body of 50,000 characters", async () => {
    for (const unit of ["x", "word ", "🎉", "= ", "**b** &amp; ", "- a\n", "&"]) {
      const text = unit.repeat(50_000 / unit.length).slice(0, 49_000);
      const short = unit.startsWith("**") ? unit.repeat(400) : text;
      const mail = await mailOf({ body: short }, {}, TRACKED);
      assertLegal(mail);
      assert.ok(mail.textPart.length > short.length / 3);
    }
  });
});

describe("the headers of a mail", () => {
  for (const [name, shown] of [
    ["Shop", "Shop"],
    ['The "best" \\ shop', 'The "best" \\ shop'],
    ["Zoë's, <shop>; (x)", "Zoë's, <shop>; (x)"],
    ["مرحبا 🎉", "مرحبا 🎉"],
    ["long name ".repeat(12).trim(), "long name ".repeat(12).trim()],
    ["a\r\nBcc: b@c.example", "a Bcc: b@c.example"],
    ["=?UTF-8?Q?x?=", "=?UTF-8?Q?x?="],
  ] as const) {
    it(`name the sender: ${JSON.stringify(name.slice(0, 30))}`, async () => {
      const mail = await mailOf({}, {}, { ...BARE, from: { name, address: "news@shop.example" } });
      assertLegal(mail);
      assert.deepEqual(mail.from?.value, [{ address: "news@shop.example", name: shown }]);
      assert.equal(mail.bcc, undefined);
    });
  }

  it("have a sender without a name, and with a host of any script", async () => {
    const mail = await mailOf({}, {}, { ...BARE, from: { name: " ", address: "news@münchen.example" } });
    assert.match(mail.raw, /^From: news@xn--mnchen-3ya\.example\r\n/);
    await assert.rejects(
      () => mailOf({}, {}, { ...BARE, from: { name: null, address: "no address" } }),
      /sender/,
    );
  });

  for (const [address, header] of [
    ["ada@home.example", "ada@home.example"],
    ["Ada.B+c@home.example", "Ada.B+c@home.example"],
    ["ada@münchen.example", "ada@xn--mnchen-3ya.example"],
    ["zoë@home.example", "undisclosed-recipients:;"],
    ["ada@home.example\r\nBcc: eve@evil.example", "undisclosed-recipients:;"],
    ["ada@home.example, eve@evil.example", "undisclosed-recipients:;"],
    ["<ada@home.example>", "undisclosed-recipients:;"],
    ["ada@home.example>\u0000", "undisclosed-recipients:;"],
    ["", "undisclosed-recipients:;"],
  ] as const) {
    it(`show where it goes: ${JSON.stringify(address)}`, async () => {
      const mail = await mailOf({}, {}, BARE, { address });
      assertLegal(mail);
      assert.match(mail.raw, new RegExp(`^To: ${header.replace(/[.+]/g, "\\$&")}\\r$`, "m"));
      assert.equal(mail.bcc, undefined);
    });
  }

  it("fold a long subject where it has blanks, and encode it where it has none", async () => {
    const words = "every word of this subject is plain ".repeat(5).trim();
    const mail = await mailOf({ subject: words });
    assert.equal(mail.subject, words);
    assert.match(mail.raw, /^Subject: every word of [a-z ]*\r\n plain every/m);
    assert.match((await mailOf({ subject: "x".repeat(200) })).raw, /^Subject:\r\n =\?UTF-8\?B\?/m);
    assert.match((await mailOf({ subject: "Zoë" })).raw, /^Subject: =\?UTF-8\?B\?Wm\/Dqw==\?=\r$/m);
    for (const line of mail.raw.split("\r\n").slice(0, 12)) assert.ok(line.length <= 76, line);
  });

  it("fold headers of others at their blanks, and encode what is not ASCII", async () => {
    const list = Array.from({ length: 20 }, (_, index) => `<${index}@shop.example>`).join(" ");
    const mail = await mailOf({}, {}, BARE, {
      headers: [
        ["References", list],
        ["X-Note", "né"],
        ["X-Empty", ""],
      ],
    });
    assertLegal(mail);
    assert.equal([mail.references].flat().length, 20);
    assert.match(mail.raw, /^X-Note: =\?UTF-8\?B\?bsOp\?=\r$/m);
    assert.match(mail.raw, /^X-Empty: \r$/m);
    for (const line of mail.raw.split("\r\n").slice(0, 20)) assert.ok(line.length <= 76, line);
  });
});
