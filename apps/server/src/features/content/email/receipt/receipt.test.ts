import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { simpleParser } from "mailparser";
import { PUBLIC_URL, signTarget, TOKEN, unescapeHtml } from "../../../../../test/compiled-mail.ts";
import { type Attachment, attachmentFault } from "../mime/attachment.pure.ts";
import { headerFault } from "../mime/custom-headers.pure.ts";
import { readMail } from "../mime/read-mail.ts";
import { type FilledReceipt, fillReceipt } from "./fill-receipt.ts";
import { ReceiptMessage } from "./message.pure.ts";
import { type OwnMail, type ReceiptOptions, type ReceiptRecipient, writeReceipt } from "./write-receipt.ts";

const OPTIONS: ReceiptOptions = {
  from: { name: "The shop", address: "shop@shop.example" },
  postalAddress: "",
  publicUrl: PUBLIC_URL,
  track: { opens: false, clicks: false },
  signTarget,
};
const TO_ADA: ReceiptRecipient = {
  address: "ada@home.example",
  name: "Ada L.",
  token: TOKEN,
  messageId: "m1@shop.example",
  sentAt: Date.UTC(2026, 7, 22, 10, 0, 5),
  replyTo: [],
  headers: [],
  attachments: [],
};
const USER = { id: "u-1", traits: { first_name: "Ada", url: "https://evil.example/" } };
const OWN: OwnMail = { subject: "Hello", html: "<p>Hi</p>", text: "Hi" };
const FILE: Attachment = {
  name: "bill.pdf",
  contentType: "application/pdf",
  content: Buffer.from("%PDF"),
  contentId: null,
};

const fill = (message: Partial<ReceiptMessage>, data: Record<string, unknown>) =>
  fillReceipt(ReceiptMessage.parse({ subject: "Hello", body: "Hello", ...message }), { data, user: USER });
const filled = (message: Partial<ReceiptMessage>, data: Record<string, unknown> = {}): FilledReceipt => {
  const receipt = fill(message, data);
  return "email" in receipt ? receipt : assert.fail(JSON.stringify(receipt));
};
const read = async (
  content: FilledReceipt | OwnMail,
  recipient: Partial<ReceiptRecipient> = {},
  options: Partial<ReceiptOptions> = {},
) => {
  const raw = writeReceipt(content, { ...OPTIONS, ...options }, { ...TO_ADA, ...recipient });
  for (const line of raw.toString("latin1").split("\r\n")) {
    assert.ok(line.length <= 76, `a line of ${line.length} characters: ${line}`);
    assert.match(line, /^[\t -~]*$/);
  }
  const mail = await simpleParser(raw, { skipTextLinks: true, skipTextToHtml: true, skipImageLinks: true });
  return { ...mail, raw: raw.toString("latin1"), html: mail.html || "", text: mail.text ?? "" };
};
const htmlOf = async (message: Partial<ReceiptMessage>, data: Record<string, unknown>): Promise<string> =>
  (await read(filled(message, data))).html;
const hrefs = (html: string): string[] =>
  [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, href]) => unescapeHtml(href ?? ""));
/** Names of tags and attributes, in order. */
const shape = (html: string): string =>
  (html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/="[^"]*"/g, "")).join("");
const faultsOf = (message: Record<string, unknown>): string[] =>
  (ReceiptMessage.safeParse({ subject: "x", body: "x", ...message }).error?.issues ?? []).map(
    ({ path, message: fault }) => `${path.join(".")}: ${fault}`,
  );

const ORDER = {
  subject: "Order {{ data.order.id }}",
  previewText: "{{ data.items.size }} things",
  body: `Hi {{ user.first_name | default: "there" }},

| Thing | Price |
|---|--:|
{% for item in data.items -%}
| {{ item.name }} | {{ item.price }} |
{% endfor %}
{% if data.hint %}> {{ data.hint }}{% endif %}`,
  cta: { label: "See {{ data.order.id }}", url: "{{ data.order.url }}" },
};

describe("a receipt", () => {
  it("is filled in from data, with rows of tables by a loop", async () => {
    const items = [
      { name: "Tea | <b>*x*</b>", price: 3 },
      { name: "Pot", price: 12.5 },
    ];
    const order = { id: "A-1", url: "https://shop.example/o?a=1&copy;=2" };
    const mail = await read(filled(ORDER, { items, order }), {}, { postalAddress: "Shop Ltd" });
    assert.equal(mail.subject, "Order A-1");
    assert.equal(
      mail.text,
      "Hi Ada,\n\nThing | Price\n-------------\nTea | <b>*x*</b> | 3\nPot | 12.5\n\nSee A-1:\nhttps://shop.example/o?a=1&copy;=2\n\n-- \nShop Ltd",
    );
    assert.match(mail.html, />Tea \| &lt;b&gt;\*x\*&lt;\/b&gt;<\/td>/);
    assert.equal(mail.html.match(/<td class="t-line"/g)?.length, 2 * 2);
    assert.deepEqual(hrefs(mail.html), [order.url]);
    assert.match(mail.html, />2 things&nbsp;/);
    assert.doesNotMatch(mail.raw, /unsubscribe/i);
    assert.match(mail.raw, /\r\nAuto-Submitted: auto-generated\r\n/);
  });

  it("says what is missing, with its field and path", () => {
    const order = { id: "A-1", url: "https://shop.example/" };
    assert.deepEqual(fill(ORDER, { order, items: [{ name: "Tea", price: 1 }, { name: "Pot" }] }), {
      missing: { field: "body", path: "data.items[1].price" },
    });
    assert.deepEqual(fill(ORDER, { items: [] }), { missing: { field: "subject", path: "data.order.id" } });
    assert.deepEqual(fill({ subject: "{{ data.a }}" }, { a: " \n " }), {
      missing: { field: "subject", path: "data.a" },
    });
    assert.deepEqual(fill(ORDER, { order: { id: "A" }, items: [] }), {
      missing: { field: "cta.url", path: "data.order.url" },
    });
  });

  it("keeps its subject on one line", () =>
    assert.equal(
      filled({ subject: "{{ data.a }}" }, { a: "x\r\nBcc: eve@evil.example" }).subject,
      "x  Bcc: eve@evil.example",
    ));

  it("counts clicks and opens where it may", async () => {
    const receipt = filled({ body: "[x]({{ data.url }})" }, { url: "https://shop.example/a" });
    const { html } = await read(receipt, {}, { track: { opens: true, clicks: true } });
    assert.match(html, /click\?to=https%3A%2F%2Fshop\.example%2Fa&amp;s=/);
    assert.match(html, /open\.gif/);
  });
});

describe("a link of a receipt", () => {
  for (const [body, data, expected] of [
    ["[x]({{ data.url }})", { url: "https://a.example/?b=1&amp;c=%20" }, "https://a.example/?b=1&amp;c=%20"],
    [
      "[x]({{ data.url }}/{{ data.id }})",
      { url: "https://a.example", id: "é/ü" },
      "https://a.example/%C3%A9%2F%C3%BC",
    ],
    ["[x]({{ data.url }})", { url: "mailto:a@b.example" }, "mailto:a@b.example"],
    ["![x]({{ data.url }})", { url: "http://a.example/x y" }, "http://a.example/x%20y"],
    ["[x](https://a.example/{{ user.url }})", {}, "https://a.example/https%3A%2F%2Fevil.example%2F"],
    [
      "[x]({% if data.a %}https://a.example{% else %}{{ data.url }}{% endif %}/b)",
      { url: "https://c.example" },
      "https://c.example/b",
    ],
    ["[x][1]\n\n[1]: {{ data.url }}", { url: "https://a.example/" }, "https://a.example/"],
  ] as const)
    it(`may be ${body}`, async () => assert.deepEqual(hrefs(await htmlOf({ body }, data)), [expected]));

  for (const url of [
    "javascript:alert(1)",
    "/path",
    "https:",
    "https://",
    "ftp://a.example",
    "https://u:p@a.example/",
    "data:text/html,x",
    "x",
    `https://a.example/${"x".repeat(2_100)}`,
  ])
    it(`must not be ${url.slice(0, 40)}`, () => {
      for (const body of ["[x]({{ data.url }})", "![x]({{ data.url }})"]) {
        const receipt = fill({ body }, { url });
        assert.ok("wrong" in receipt);
        assert.deepEqual([receipt.wrong.field, receipt.wrong.path], ["body", "data.url"]);
      }
      const receipt = fill({ cta: { label: "x", url: "{{ data.url }}" } }, { url });
      assert.deepEqual("wrong" in receipt && [receipt.wrong.field, receipt.wrong.path], [
        "cta.url",
        "data.url",
      ]);
    });

  it("must not be continued by a trait where its host is not ended", () => {
    const receipt = fill({ body: "[x]({{ data.url }}{{ user.first_name }})" }, { url: "https://a.example" });
    assert.match("wrong" in receipt ? receipt.wrong.message : "", /host that is written out/);
    const button = fill({ cta: { label: "x", url: "{{ data.url }}" } }, { url: "mailto:a@b.example" });
    assert.deepEqual(button, {
      wrong: { field: "cta.url", path: "data.url", message: "must be an http or https address" },
    });
  });
});

describe("a message of a receipt that is refused", () => {
  for (const [message, fault] of [
    [{ subject: "{% assign x = 1 %}" }, /^subject: must not use \{% assign %\}/],
    [{ subject: "a\nb" }, /^subject: must not have line breaks/],
    [{ previewText: "{{ x }}" }, /^previewText: must not name x/],
    [{ body: " " }, /^body: must not be blank/],
    [{ body: "[x](javascript:x)" }, /^body: must link to http/],
    [{ body: "{% if data.a %}a{% else %}[x](javascript:x){% endif %}" }, /^body: must link to http/],
    [{ body: "[x]({{ user.url }})" }, /^body: must not use user\.url like this: it must not begin a link/],
    [{ body: "{% for t in user.tags %}[x]({{ t }}){% endfor %}" }, /^body: must not use user\.tags\[\]/],
    [{ cta: { label: "x", url: "{{ user.url }}" } }, /^cta\.url: must not begin a link/],
    [{ cta: { label: "x", url: "ftp://x" } }, /^cta\.url: must be an http or https address/],
    [{ cta: { label: "{{ x }}", url: "https://x.example" } }, /^cta\.label: must not name x/],
  ] as const)
    it(JSON.stringify(message), () => assert.match(faultsOf(message).join("; "), fault));

  it("has a trait at the beginning of a link only where no sketch shows it, and is refused later", () => {
    const branches = `${"{% elsif data.b %}b".repeat(5)}{% else %}[x]({{ user.url }})`;
    const receipt = fill({ body: `{% if data.a %}a${branches}{% endif %}` }, {});
    assert.deepEqual("wrong" in receipt && receipt.wrong.path, "user.url");
  });
});

describe("values of a receipt", () => {
  const body = `# {{ data.a }}

{{ data.a }} **{{ data.b }}** [{{ data.a }}](https://x.example/{{ data.b }} "{{ data.a }}") \`{{ data.a }}\`

- {{ data.b }}

{% for row in data.rows %}> {{ row }}
{% endfor %}
| {{ data.a }} |
|---|
{% for row in data.rows -%}
| {{ row }} |
{% endfor %}`;
  const message = { subject: "{{ data.a }}x", previewText: "{{ data.b }}", body };

  it("never become Markdown, HTML or a link", async () => {
    const dangerous = fc.constantFrom(
      "<",
      ">",
      '"',
      "'",
      "&",
      "*",
      "_",
      "|",
      "`",
      "[x](y)",
      "\n",
      "\r\n",
      "{{ data.a }}",
      "{% if %}",
      "https://e.example",
      "<script>",
      "--=_mixed",
      "\u{f0000}",
      "\u{fffff}",
      "&lt;",
      "\\",
      "# ",
      "مرحبا",
      "\ud800",
    );
    const value = fc
      .array(fc.oneof(dangerous, fc.string({ unit: "grapheme" })), { maxLength: 12 })
      .map((bits) => bits.join(""));
    const expected = shape(await htmlOf(message, { a: "x", b: "x", rows: ["x", "x"] }));
    await fc.assert(
      fc.asyncProperty(value, value, value, async (a, b, row) => {
        const { html } = await read(filled(message, { a, b, rows: [row, "x"] }));
        assert.equal(shape(html), expected);
        const shown = /<h1[^>]*>([\s\S]*?)<\/h1>/.exec(html)?.[1];
        assert.equal(
          unescapeHtml(shown ?? ""),
          a.replaceAll("\0", "").replace(/\r\n?/g, "\n").toWellFormed(),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe("mail that a customer wrote", () => {
  it("goes as it is", async () => {
    const html = `<p style="x">Häh =3D <a href='https://x.example/?a=1&b=2'>x</a></p>\n.\nFrom me ${"long ".repeat(400)} `;
    const mail = await read({ subject: "Größe 👨‍👩‍👧", html, text: "Grüße \n-- \nx\n\n" });
    assert.equal(mail.html, html);
    assert.equal(mail.text, "Grüße \n-- \nx\n\n");
    assert.equal(mail.subject, "Größe 👨‍👩‍👧");
    assert.match(mail.raw, /multipart\/alternative/);
  });

  it("may have one part alone, and none without", async () => {
    assert.match(
      (await read({ ...OWN, html: null })).raw,
      /\r\nContent-Type: text\/plain; charset=utf-8\r\n/,
    );
    assert.doesNotMatch((await read({ ...OWN, text: null })).raw, /multipart/);
    await assert.rejects(read({ ...OWN, text: null, html: null }), /without HTML/);
  });

  it("shows its recipients, and whom answers go to", async () => {
    const mail = await read(OWN, {
      shownTo: [
        { name: 'Ada "L"', address: "ada@home.example" },
        { name: null, address: "b@home.example" },
      ],
      shownCc: [
        { name: "Žofie", address: "c@bücher.example" },
        { name: "x", address: "a@b\r\nBcc: e@evil.example" },
      ],
      replyTo: [{ name: "Help", address: "help@shop.example" }],
    });
    const shown = (found: typeof mail.to) =>
      [found ?? []].flat().flatMap(({ value }) => value.map(({ name, address }) => `${name}|${address}`));
    assert.deepEqual(shown(mail.to), ['Ada "L"|ada@home.example', "|b@home.example"]);
    assert.deepEqual(shown(mail.cc), ["Žofie|c@bücher.example"]);
    assert.deepEqual(shown(mail.replyTo), ["Help|help@shop.example"]);
    assert.deepEqual(shown((await read(OWN)).to), ["Ada L.|ada@home.example"]);
    assert.match((await read(OWN, { address: "ü@x.example" })).raw, /\r\nTo: undisclosed-recipients:;\r\n/);
    assert.equal((await readMail(Buffer.from(mail.raw, "latin1"))).html, "<p>Hi</p>");
  });

  it("has files and pictures byte for byte", async () => {
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7) % 256));
    const names = [
      "bill.pdf",
      "Größe – 漢字.pdf",
      `${"ü".repeat(90)}.txt`,
      "a'b%(1)*.txt",
      'q"uote;x=y.txt',
      "  x.txt",
    ];
    const attachments = [
      ...names.map((name) => ({ ...FILE, name, content: bytes })),
      { name: "logo.png", contentType: "image/png", content: bytes.subarray(1), contentId: "logo@x" },
      {
        ...FILE,
        name: "invite.ics",
        contentType: "text/calendar; method=REQUEST; charset=utf-8",
        content: Buffer.alloc(0),
      },
    ];
    for (const { name, ...others } of attachments)
      assert.equal(attachmentFault({ name, ...others }), null, name);
    const mail = await read({ ...OWN, html: '<img src="cid:logo@x">' }, { attachments });
    assert.deepEqual(
      mail.attachments.map(({ filename }) => filename).toSorted(),
      [...names, "logo.png", "invite.ics"].toSorted(),
    );
    for (const { filename, content } of mail.attachments)
      if (filename !== "invite.ics")
        assert.deepEqual(content, filename === "logo.png" ? bytes.subarray(1) : bytes, filename);
    const logo = mail.attachments.find(({ filename }) => filename === "logo.png");
    assert.deepEqual([logo?.cid, logo?.related, logo?.contentDisposition], ["logo@x", true, "inline"]);
    assert.match(mail.raw, /multipart\/mixed[\s\S]*multipart\/alternative[\s\S]*multipart\/related/);
    assert.equal(mail.text, "Hi");
  });
});

describe("a header of a customer", () => {
  it("is sent, wrapped or encoded", async () => {
    const references = Array.from({ length: 20 }, (_, index) => `<${index}@shop.example>`).join(" ");
    const mail = await read(OWN, {
      headers: [
        ["X-Entity-Ref-ID", "ü 1"],
        ["References", references],
        ["List-Unsubscribe", "<https://x.example/u>"],
      ],
    });
    assert.match(mail.raw, /\r\nX-Entity-Ref-ID: =\?UTF-8\?B\?w7wgMQ==\?=\r\n/);
    assert.deepEqual([mail.references].flat().join(" "), references);
    assert.match(mail.raw, /\r\nList-Unsubscribe: <https:\/\/x\.example\/u>\r\n/);
  });

  for (const name of [
    "From",
    "To",
    "cc",
    "Bcc",
    "Subject",
    "Date",
    "Message-ID",
    "DKIM-Signature",
    "Content-Type",
    "MIME-Version",
    "Sender",
    "Return-Path",
    "Received",
    "Auto-Submitted",
    "X-Tidings-Delivery",
    "X-SMTPAPI",
    "X Foo",
    "X-A:b",
    "X-A\r\nBcc",
    "",
    "Reply-To",
  ])
    it(`must not be ${JSON.stringify(name)}`, async () => {
      assert.notEqual(headerFault(name, "x"), null);
      await assert.rejects(read(OWN, { headers: [[name, "x"]] }), /never checked/);
    });

  for (const value of [
    "a\r\nBcc: e@evil.example",
    "a\nb",
    "a\0b",
    "a\u2028b",
    " ",
    "x".repeat(2_001),
    "x".repeat(901),
  ])
    it(`must not have the value ${JSON.stringify(value.slice(0, 30))}`, () =>
      assert.notEqual(headerFault("X-A", value), null));
});

describe("a file of a mail", () => {
  for (const name of [
    "a.exe",
    "a.EXE",
    "a.pdf.js",
    "a.scr ",
    "a.bat.",
    "a.exe::$DATA",
    "x.iso",
    "x.lnk",
    "x.jar",
    "x.ps1",
    "x.hta",
  ])
    it(`must not be ${name}`, () =>
      assert.match(attachmentFault({ ...FILE, name }) ?? "", /must not be a program/));
  for (const name of [
    "",
    " ",
    "../x.pdf",
    "a\\b.pdf",
    "a\nb.pdf",
    "a\0.pdf",
    "a\u202efdp.txt",
    "..",
    "x".repeat(201),
  ])
    it(`must not be called ${JSON.stringify(name.slice(0, 30))}`, async () => {
      assert.match(attachmentFault({ ...FILE, name }) ?? "", /must have a name/);
      await assert.rejects(read(OWN, { attachments: [{ ...FILE, name }] }), /never checked/);
    });
  for (const contentType of [
    "",
    "pdf",
    "a/b\r\nX: y",
    "multipart/mixed",
    "message/rfc822",
    "application/x-msdownload",
    "text/javascript; charset=utf-8",
    'a/b; x="y',
  ])
    it(`must not be of the type ${JSON.stringify(contentType)}`, () =>
      assert.notEqual(attachmentFault({ ...FILE, contentType }), null));
  for (const contentId of ["", "a b", "a>\r\nX: y", "<a>"])
    it(`must not have the content id ${JSON.stringify(contentId)}`, () =>
      assert.notEqual(attachmentFault({ ...FILE, contentId }), null));
});
