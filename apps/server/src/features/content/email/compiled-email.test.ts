import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  BARE,
  inside,
  mailOf,
  PUBLIC_URL,
  signTarget,
  TOKEN,
  TRACKED,
  unescapeHtml,
} from "../../../../test/compiled-mail.ts";
import { type CompiledEmail, compileEmail, fillEmail, type Recipient } from "./public.ts";

const OWN = `${PUBLIC_URL}/e/${TOKEN}`;
const click = (url: string): string => `${OWN}/click?to=${encodeURIComponent(url)}&s=${signTarget(url)}`;
const hrefs = (html: string): string[] =>
  [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href]) => unescapeHtml(href ?? ""));
/** Names of tags and attributes, in order. No value of a field may change these. */
const shape = (html: string): string =>
  (html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/="[^"]*"/g, "").replace(/"/g, "!")).join("");

const body = async (markdown: string, traits = {}, options = BARE): Promise<string> =>
  (await mailOf({ body: markdown }, traits, options)).htmlPart;
const card = (html: string): string =>
  (/class="t-card"[^>]*>\n([\s\S]*?)<\/td><\/tr>\n<tr><td class="t-muted"/.exec(html)?.[1] ?? "")
    .replace(/ style="[^"]*"/g, "")
    .trim();

describe("a letter", () => {
  it("has the headers of a mail that machines sent and people can leave", async () => {
    const mail = await mailOf(
      { subject: "Hi {{ user.name }}", body: "Hello" },
      { name: "Zoë" },
      {
        ...TRACKED,
        headers: [["X-Campaign", "cmp_1"]],
      },
      { headers: [["X-Delivery", "del_1\r\nBcc: eve@evil.example"]] },
    );
    assert.equal(mail.subject, "Hi Zoë");
    assert.deepEqual(mail.from?.value, [{ address: "news@shop.example", name: "The shop" }]);
    assert.equal([mail.to].flat()[0]?.text, "ada@home.example");
    assert.equal(mail.messageId, "<m1@shop.example>");
    assert.equal(mail.date?.toISOString(), "2026-08-22T10:00:05.000Z");
    assert.match(mail.raw, /^Date: Sat, 22 Aug 2026 10:00:05 \+0000\r$/m);
    const lines = mail.raw.slice(0, mail.raw.indexOf("\r\n\r\n")).replace(/\r\n /g, " ").split("\r\n");
    assert.deepEqual(
      lines.filter((line) => !/^(From|To|Subject|Date|Message-ID):/.test(line)),
      [
        `List-Unsubscribe: <${OWN}/unsubscribe>`,
        "X-Delivery: del_1 Bcc: eve@evil.example",
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        "Auto-Submitted: auto-generated",
        "X-Auto-Response-Suppress: All",
        "X-Campaign: cmp_1",
        "MIME-Version: 1.0",
        'Content-Type: multipart/alternative; boundary="=_tidings"',
      ],
    );
  });

  it("tells the same in both of its parts, with the footer below", async () => {
    const mail = await mailOf(
      {
        body: "# Hello {{ user.name }}\n\nGood *morning*.",
        cta: { label: "Open {{ user.plan }}", url: "https://a.example/{{ user.id }}" },
      },
      { name: "Ada", plan: "pro" },
      { ...TRACKED, track: { opens: false, clicks: false } },
    );
    assert.equal(
      mail.textPart,
      `Hello Ada\n=======\n\nGood morning.\n\nOpen pro:\nhttps://a.example/u-1\n\n-- \nShop Ltd\n1 High Street <2nd floor>\nUnsubscribe: ${OWN}/unsubscribe`,
    );
    assert.equal(inside(mail.htmlPart, "h1"), "Hello Ada");
    assert.match(mail.htmlPart, /Shop Ltd<br>\n1 High Street &lt;2nd floor&gt;<\/p>/);
    assert.deepEqual(hrefs(mail.htmlPart), ["https://a.example/u-1", `${OWN}/unsubscribe`]);
    assert.equal(inside(mail.htmlPart, "title"), "Hello");
  });

  it("shows the preview text before the body, and nothing of the body beside it", async () => {
    const mail = await mailOf({ previewText: "For {{ user.name }} & you", body: "Hello" }, { name: "<Ada>" });
    const hidden = inside(mail.htmlPart, "div");
    assert.match(hidden, /^For &lt;Ada&gt; &amp; you(&nbsp;&zwnj;){100}$/);
    assert.ok(mail.htmlPart.indexOf(hidden) < mail.htmlPart.indexOf('t-card"'));
    assert.doesNotMatch((await mailOf({ previewText: "  " })).htmlPart, /zwnj/);
  });

  it("as a test cannot be unsubscribed from", async () => {
    const mail = await mailOf({}, {}, { ...TRACKED, unsubscribable: false });
    assert.doesNotMatch(mail.raw, /unsubscribe/i);
    assert.match(mail.textPart, /-- \nShop Ltd/);
  });

  it("is refused when its message was never checked", () => {
    for (const message of [
      { subject: "{% if %}", body: "x" },
      { subject: "x", body: "[a](javascript:x)" },
      { subject: "x", body: "x", cta: { label: "x", url: "{{ user.url }}" } },
    ])
      assert.throws(() => compileEmail(message, BARE), /never checked/);
  });
});

describe("Markdown in a letter", () => {
  for (const [markdown, html] of [
    [
      "a **b** *c* ~~d~~ `e & <f>`",
      '<p>a <strong>b</strong> <em>c</em> <del>d</del> <code class="t-panel">e &amp; &lt;f&gt;</code></p>',
    ],
    ["a  \nb\\\nc\nd", "<p>a<br>b<br>c\nd</p>"],
    [
      "&copy; &amp;lt; \\&amp; &#x1F389; &#0; &#xF0000; &bogus;",
      "<p>© &amp;lt; &amp;amp; 🎉 \u{fffd} \u{fffd} &amp;bogus;</p>",
    ],
    ["# a\n\n###### b", "<h1>a</h1>\n<h6>b</h6>"],
    ["- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"],
    ["3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'],
    ["- a\n\n- b", "<ul>\n<li><p>a</p>\n</li>\n<li><p>b</p>\n</li>\n</ul>"],
    ["- [x] a\n- [ ] b", "<ul>\n<li>&#9745; a</li>\n<li>&#9744; b</li>\n</ul>"],
    [
      "> a\n> > b",
      '<blockquote class="t-muted t-line">\n<p>a</p>\n<blockquote class="t-muted t-line">\n<p>b</p>\n</blockquote>\n</blockquote>',
    ],
    ["```js\n<a> & b\n```", '<pre class="t-panel" dir="ltr">&lt;a&gt; &amp; b</pre>'],
    ["---", '<hr class="t-line">'],
    [
      "| a | b |\n|---|--:|\n| *c* | d |",
      '<div><table cellpadding="0" cellspacing="0">\n<tr><th class="t-line" scope="col">a</th><th class="t-line" scope="col">b</th></tr>\n<tr><td class="t-line"><em>c</em></td><td class="t-line">d</td></tr>\n</table></div>',
    ],
    ["<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>"],
    [
      "a <b onclick='x'>b</b> <!-- c --> <img src=x onerror=y>",
      "<p>a &lt;b onclick=&#39;x&#39;&gt;b&lt;/b&gt; &lt;!-- c --&gt; &lt;img src=x onerror=y&gt;</p>",
    ],
    ["<div>\n*a*\n</div>", "<p>&lt;div&gt;<br>\n*a*<br>\n&lt;/div&gt;</p>"],
    [
      '[a](https://b.example/?c=1&amp;d=2 "e &quot; f")',
      '<p><a class="t-link" href="https://b.example/?c=1&amp;d=2" title="e &quot; f">a</a></p>',
    ],
    [
      "<https://b.example/?c=1&amp;d>",
      '<p><a class="t-link" href="https://b.example/?c=1&amp;amp;d">https://b.example/?c=1&amp;amp;d</a></p>',
    ],
    [
      '[a][1]\n\n[1]: <https://b.example/c d"é>',
      '<p><a class="t-link" href="https://b.example/c%20d%22%C3%A9">a</a></p>',
    ],
    ["[a](https://MÜNCHEN.example)", '<p><a class="t-link" href="https://xn--mnchen-3ya.example/">a</a></p>'],
    ["[a](https://b.example/100%/%41)", '<p><a class="t-link" href="https://b.example/100%25/%41">a</a></p>'],
    [
      "see www.b.example, a@b.example",
      '<p>see <a class="t-link" href="http://www.b.example/">www.b.example</a>, <a class="t-link" href="mailto:a@b.example">a@b.example</a></p>',
    ],
    [
      '![a "b" <c>](https://b.example/d.png)',
      '<p><img src="https://b.example/d.png" alt="a &quot;b&quot; &lt;c&gt;"></p>',
    ],
    [
      "[![a](https://b.example/d.png)](https://c.example)",
      '<p><a href="https://c.example/"><img src="https://b.example/d.png" alt="a"></a></p>',
    ],
    ["{{ user.x }}", '<p dir="auto">*a* [b](javascript:c)\n\n# d</p>'],
    ["**{{ user.x }}**", '<p dir="auto"><strong>*a* [b](javascript:c)\n\n# d</strong></p>'],
    ["`{{ user.x }}` and", '<p><code class="t-panel">*a* [b](javascript:c)\n\n# d</code> and</p>'],
  ] as const) {
    it(JSON.stringify(markdown), async () =>
      assert.equal(card(await body(markdown, { x: "*a* [b](javascript:c)\n\n# d" })), html),
    );
  }

  it("reads well as plain text", async () => {
    const mail = await mailOf(
      {
        body: `# Hello\n\n## News\n\n### More\n\nOne *two* \`three\`\nfour  \nfive &copy; [six](https://a.example) https://b.example/c [7@d.example](mailto:7@d.example)
[Write](mailto:e@f.example) ![A chart](https://g.example/h.png) <b>i</b>\n\n- a\n  - b\n\n    c\n- [x] d\n\n9. e\n10. f\n\n> g\n>\n> - h\n\n\`\`\`\ni\n  j\n\`\`\`
\n---\n\n| k | l |\n|---|---|\n| m | {{ user.n }} |`,
      },
      { n: "o" },
    );
    assert.equal(
      mail.textPart,
      `Hello
=====

News
----

More

One two three four
five © six (https://a.example/) https://b.example/c 7@d.example Write (e@f.example) [A chart] <b>i</b>

- a
  - b

    c
- [x] d

9. e
10. f

> g
>
> - h

    i
      j

--------------------

k | l
-----
m | o`,
    );
  });

  for (const [markdown, direction, language] of [
    ["Hello", "ltr", "en"],
    ["{{ user.name }}, مرحبا بك", "rtl", "ar"],
    ["# שלום לכולם\n\nHello", "rtl", "he"],
    ["こんにちは、世界", "ltr", "ja"],
    ["你好", "ltr", "zh"],
    ["안녕하세요", "ltr", "ko"],
    ["Γειά σου", "ltr", "el"],
    ["123 🎉", "ltr", "en"],
  ] as const) {
    it(`goes ${direction} in ${language}: ${markdown.replaceAll("\n", " ")}`, async () =>
      assert.match(await body(markdown), new RegExp(`<html lang="${language}" dir="${direction}">`)));
  }

  it("gives a block the direction of its own text, not of a name in front of it", async () => {
    const html = card(
      await body("مرحبا\n\nHello\n\n{{ user.name }} مرحبا\n\n{{ user.name }}\n\n- Hello", { name: "Ada" }),
    );
    assert.equal(
      html,
      '<p>مرحبا</p>\n<p dir="ltr">Hello</p>\n<p>Ada مرحبا</p>\n<p dir="auto">Ada</p>\n<ul dir="ltr">\n<li>Hello</li>\n</ul>',
    );
  });
});

describe("the value of a field", () => {
  const everywhere = {
    subject: "{{ user.x }}",
    previewText: "{{ user.x }}",
    body: `# {{ user.x }}\n\na {{ user.x }} \`{{ user.x }}\` [{{ user.x }}](https://a.example/{{ user.x }}?b={{ user.x }}#{{ user.x }} "{{ user.x }}")
![{{ user.x }}](https://a.example/{{ user.x }}.png) [m](mailto:a@b.example?subject={{ user.x }}) <b>{{ user.x }}</b>\n\n| {{ user.x }} |\n|-|\n| {{ user.x }} |\n\n    {{ user.x }}`,
    cta: { label: "{{ user.x }}", url: "https://a.example/{{ user.x }}" },
  };
  const VALUES = [
    "<script>alert(1)</script>",
    `" onmouseover="alert(1)" x='`,
    "</title></style></td></table><img src=x>",
    "a\r\nBcc: eve@evil.example\r\n\r\n<html>",
    "--=_tidings\r\nContent-Type: text/html",
    "a\n.\nb",
    "=?UTF-8?Q?evil?=",
    "&lt;b&gt; &amp;amp; &#60;",
    "javascript:alert(1) ../../x?y=z&w#v%2e%00",
    "{{ user.id }} {% if %}",
    "**a** [b](https://evil.example) | c |",
    "🎉".repeat(1_024),
    "\u{f0000}\u{f0001}\u{fffff}",
    "مرحبا\u202eabc",
    "x".repeat(20_000),
    "  . = From  ",
    "",
  ];
  const headerNames = (raw: string): string[] =>
    raw.slice(0, raw.indexOf("\r\n\r\n")).match(/^[^\s:]+(?=:)/gm) ?? [];

  for (const value of VALUES) {
    it(`adds no markup, header, line or part: ${JSON.stringify(value.slice(0, 40))}`, async () => {
      const plain = await mailOf(everywhere, { x: "x" }, TRACKED);
      const mail = await mailOf(everywhere, { x: value }, TRACKED);
      assert.equal(shape(mail.htmlPart), shape(plain.htmlPart));
      assert.deepEqual(headerNames(mail.raw), headerNames(plain.raw));
      assert.equal(mail.raw.split("\r\n--=_tidings").length, 4);
      const shown = value.replace(/\r\n?/g, "\n");
      assert.equal(unescapeHtml(inside(mail.htmlPart, "h1")), shown);
      assert.equal(unescapeHtml(inside(mail.htmlPart, "code")), shown);
      assert.equal(mail.subject ?? "", value.replace(/[\r\n]+/g, " ").trim());
      const target = `https://a.example/${encodeURIComponent(value)}?b=${encodeURIComponent(value)}#${encodeURIComponent(value)}`;
      assert.ok(hrefs(mail.htmlPart).includes(click(target)));
      assert.ok(mail.textPart.includes(click(target)));
      assert.ok(hrefs(mail.htmlPart).includes(`mailto:a@b.example?subject=${encodeURIComponent(value)}`));
    });
  }

  it("survives a lone surrogate", async () => {
    const mail = await mailOf(everywhere, { x: "a\ud800b" }, TRACKED);
    assert.equal(inside(mail.htmlPart, "h1"), "a\u{fffd}b");
    assert.equal(mail.subject, "a\u{fffd}b");
  });
});

describe("tracking", () => {
  const message = {
    body: "[a](https://a.example/1) [a](https://a.example/1) https://b.example [c](mailto:c@d.example) ![e](https://e.example/f.png) [g](https://g.example/{{ user.id }})",
    cta: { label: "Go", url: "http://h.example/?i=j&k" },
  };

  it("counts every link of the message and no other", async () => {
    const mail = await mailOf(message, {}, TRACKED);
    const counted = ["https://a.example/1", "https://a.example/1", "https://b.example/"].map(click);
    assert.deepEqual(hrefs(mail.htmlPart), [
      ...counted,
      "mailto:c@d.example",
      click("https://g.example/u-1"),
      click("http://h.example/?i=j&k"),
      `${OWN}/unsubscribe`,
      `${OWN}/trap`,
    ]);
    assert.match(mail.htmlPart, /<img src="https:\/\/e\.example\/f\.png"/);
    for (const link of [...counted, click("https://g.example/u-1"), click("http://h.example/?i=j&k")])
      assert.ok(mail.textPart.includes(link), link);
    assert.doesNotMatch(mail.textPart, /\/trap|open\.gif/);
  });

  it("hides the trap from people, and ends with the image", async () => {
    const { htmlPart } = await mailOf(message, {}, TRACKED);
    const honeypot = /<a href="[^"]*\/trap"([^>]*)><\/a>/.exec(htmlPart)?.[1] ?? "";
    assert.match(honeypot, /aria-hidden="true" tabindex="-1" style="display:none/);
    assert.match(
      htmlPart,
      new RegExp(`<img src="${OWN}/open.gif" width="1" height="1" alt="" style="[^"]*">\\n</body>`),
    );
  });

  it("leaves links and openings alone where they are not counted", async () => {
    const mail = await mailOf(message, {}, { ...TRACKED, track: { opens: false, clicks: false } });
    assert.ok(hrefs(mail.htmlPart).includes("https://g.example/u-1"));
    assert.doesNotMatch(mail.raw, /click|open\.gif|trap/);
    const opens = await mailOf(message, {}, { ...TRACKED, track: { opens: true, clicks: false } });
    assert.match(opens.htmlPart, /open\.gif/);
    assert.doesNotMatch(opens.htmlPart, /click/);
  });

  it("signs an address without fields once, for all", () => {
    const signed: string[] = [];
    const compiled: CompiledEmail = compileEmail(
      { subject: "x", ...message },
      {
        ...TRACKED,
        signTarget: (url) => {
          signed.push(url);
          return signTarget(url);
        },
      },
    );
    signed.length = 0;
    const recipient: Recipient = {
      address: "a@b.example",
      person: { id: "u", traits: {} },
      token: "t",
      messageId: "m@n",
      sentAt: 0,
    };
    fillEmail(compiled, recipient);
    assert.deepEqual([...new Set(signed)], ["https://g.example/u"]);
  });
});
