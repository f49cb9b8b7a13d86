import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { explainIssue } from "../../../platform/http/contract/explain-issue.ts";
import { EmailMessage } from "./message.pure.ts";

const MAIL = { subject: "Hello", body: "Good morning." };
const body = (text: string) => ({ ...MAIL, body: text });
const cta = (url: unknown, label: unknown = "Open") => ({ ...MAIL, cta: { label, url } });

const VALID: readonly [string, unknown][] = [
  ["a subject and a body", MAIL],
  ["a subject of 200 emoji", { ...MAIL, subject: "🎉".repeat(200) }],
  ["a preview text", { ...MAIL, previewText: "What is new, {{ user.first_name }}" }],
  ["an empty preview text", { ...MAIL, previewText: "" }],
  ["a body of 50,000 characters", body("x".repeat(50_000))],
  ["a body of 50,000 emoji", body("🎉".repeat(50_000))],
  ["a list of 100 entries, each with emphasis", body("- **Bold** and _slanted_ words\n".repeat(100))],
  ["a line across the page", body(`a\n\n${"- ".repeat(40)}\n\nb`)],
  ["a heading that is underlined, in a list", body("- Title\n  ===\n\n  text")],
  [
    "fields everywhere",
    {
      ...cta("https://a.example/{{ user.id }}?p={{ user.plan }}", "For {{ user.id }}"),
      subject: "Hi {{ user.id }}",
      body: "{{ user.id }}",
    },
  ],
  [
    "links",
    body(
      "[a](https://a.example) <http://b.example/> https://c.example www.d.example e@f.example [g](mailto:g@h.example)",
    ),
  ],
  ["a link with a field after the host", body("[a](https://a.example/u/{{ user.id }})")],
  ["a link with a field in its query", body("[a](https://a.example?u={{ user.id }})")],
  ["a link with a field in its fragment", body("[a](https://a.example#{{ user.id }})")],
  [
    "a link with a field that has quotes and bars",
    body('[a](https://a.example/{{ user.id | default: ") | (" }})'),
  ],
  ["a link by reference", body("[a][1]\n\n[1]: https://a.example/{{ user.id }}")],
  ["a bare link with a field", body("https://a.example/{{ user.id }}")],
  ["a mail link with a field in its query", body("[a](mailto:a@b.example?subject={{ user.id }})")],
  ["an image", body("![A chart](https://a.example/{{ user.id }}.png)")],
  ["a link in code, which is none", body("`[a](javascript:x)`\n\n    [a](javascript:x)")],
  ["HTML, which is text", body("<script>alert(1)</script><a href='javascript:x'>")],
  ["a button", cta("https://a.example")],
  ["a button to http", cta("http://a.example:8080/x?y#z")],
  ["a button to an umlaut", cta("https://münchen.example/straße")],
  ["300 links", body("[a](https://a.example) ".repeat(300))],
  ["a table of 2,000 cells", body(`|a|b|c|d|\n|-|-|-|-|\n${"|e|\n".repeat(499)}`)],
  ["quotes in quotes", body(`${">".repeat(14)} deep`)],
];

const INVALID: readonly [string, unknown, RegExp][] = [
  ["nothing", undefined, /^message must be a JSON object/],
  ["a text", "Hello", /must be a JSON object/],
  ["no subject", { body: "x" }, /^subject is required$/],
  ["an empty subject", { ...MAIL, subject: "" }, /^subject must not be empty$/],
  ["a blank subject", { ...MAIL, subject: " \t " }, /^subject must not be blank$/],
  [
    "a subject of 201 characters",
    { ...MAIL, subject: "x".repeat(201) },
    /^subject must be at most 200 characters$/,
  ],
  [
    "a subject with a line break",
    { ...MAIL, subject: "a\r\nBcc: b@c.example" },
    /^subject must not have line breaks$/,
  ],
  ["a subject with U+2028", { ...MAIL, subject: "a\u2028b" }, /^subject must not have line breaks$/],
  ["a subject with a tag", { ...MAIL, subject: "{% if %}" }, /^subject must not use \{% if %\}/],
  ["a subject that is a number", { ...MAIL, subject: 5 }, /^subject must be a string/],
  [
    "a preview text of 201 characters",
    { ...MAIL, previewText: "x".repeat(201) },
    /^previewText must be at most 200/,
  ],
  [
    "a preview text with another root",
    { ...MAIL, previewText: "{{ plan }}" },
    /^previewText must not use \{\{ plan \}\}/,
  ],
  ["no body", { subject: "x" }, /^body is required$/],
  ["a blank body", body(" \n\t "), /^body must not be blank$/],
  ["a body of 50,001 characters", body("x".repeat(50_001)), /^body must be at most 50000 characters$/],
  ["an unclosed field", body("Hello {{ user.id"), /^body must close every/],
  ["an unknown filter", body("{{ user.id | shout }}"), /^body must not use the filter shout/],
  [
    "a script link",
    body("[a](javascript:alert(1))"),
    /^body must link to http, https and mailto addresses only, not to javascript:/,
  ],
  ["a script link, encoded", body("[a](&#106;avascript:alert)"), /^body must link to/],
  ["a script link by reference", body("[a]\n\n[a]: javascript:x"), /^body must link to/],
  [
    "a script link in a table in a quote",
    body("> | a |\n> |-|\n> | [a](javascript:x) |"),
    /^body must link to/,
  ],
  ["a script link in a list in a list", body("- a\n  - [a](javascript:x)"), /^body must link to/],
  ["a data image", body("![a](data:image/png;base64,AA)"), /^body must link to/],
  ["an image by mail", body("![a](mailto:a@b.example)"), /^body must have images with http/],
  ["a relative link", body("[a](/plans)"), /^body must link to .* not to \/plans$/],
  [
    "a link to a host that is a field",
    body("[a](https://{{ user.host }}/x)"),
    /^body must write out the host .* https:\/\/\{\{ user\.host \}\}\/x$/,
  ],
  [
    "a host that ends in a field",
    body("[a](https://a.example{{ user.host }})"),
    /^body must write out the host/,
  ],
  [
    "a port that is a field",
    body("[a](https://a.example:{{ user.port }}/)"),
    /^body must write out the host/,
  ],
  ["a link that is a field", body("[a]({{ user.url }})"), /^body must write out the host/],
  ["a scheme that is a field", body("[a]({{ user.scheme }}://a.example/)"), /^body must write out the host/],
  ["a mailbox that is a field", body("[a](mailto:{{ user.email }})"), /^body must write out the host/],
  ["a user name in front of the host", body("[a](https://bank.example@evil.example/)"), /^body must link to/],
  ["a backslash after the host", body("<https://a.example\\@b.example/>"), /^body must link to/],
  [
    "a link of 2,049 characters",
    body(`[a](https://a.example/${"x".repeat(2_049)})`),
    /^body must have links of at most/,
  ],
  [
    "a title of 301 characters",
    body(`[a](https://a.example "${"x".repeat(301)}")`),
    /^body must have titles of links of at most 300/,
  ],
  ["301 links", body("[a](https://a.example) ".repeat(301)), /^body must have at most 300 links/],
  ["1,501 lines", body("a\n".repeat(1_501)), /^body must have at most 1500 lines that are not empty$/],
  [
    "25,000 lines of one entry of a list",
    body(`- ${"a\n".repeat(24_999)}`),
    /^body must have at most 1500 lines/,
  ],
  [
    "a deep indentation",
    body(`a\n\n${" ".repeat(101)}b`),
    /^body must not indent a line by more than 100 spaces$/,
  ],
  [
    "a line of marks of lists",
    body("+ ".repeat(25_000)),
    /^body must not nest more than 16 levels of Markdown$/,
  ],
  [
    "marks of emphasis that find each other late",
    body(`${"*a ".repeat(900)}${"x".repeat(40_000)}${" b*".repeat(900)}`),
    /^body must have fewer of the characters \* _ and ~ in one passage/,
  ],
  [
    "a bare link that ends in parentheses",
    body(`http://a${")".repeat(49_000)}`),
    /^body must have links of at most 2048 characters$/,
  ],
  [
    "a bare link that ends in entities",
    body(`http://a${"&a;".repeat(150)}`),
    /^body must have links of at most 200 punctuation marks$/,
  ],
  ["another filter", body('{{ user.x | replace: "a", "b" }}'), /^body must not use the filter replace/],
  ["very deep quotes", body(">".repeat(49_999)), /^body must not nest more than 16/],
  [
    "17 levels of lists",
    body(Array.from({ length: 18 }, (_, level) => `${"  ".repeat(level)}- x`).join("\n")),
    /^body must not nest/,
  ],
  [
    "a table that short rows make enormous",
    body(`${"|a".repeat(100)}\n${"|-".repeat(100)}\n${"|\n".repeat(20_000)}`),
    /^body must have at most 2000 cells/,
  ],
  [
    "the same in a list in a quote",
    body(`> - ${"|a".repeat(100)}\n>   ${"|-".repeat(100)}\n${">   |\n".repeat(8_000)}`),
    /^body must have at most 2000 cells/,
  ],
  [
    "a table of 2,004 cells",
    body(`|a|b|c|d|\n|-|-|-|-|\n${"|e|\n".repeat(500)}`),
    /^body must have at most 2000 cells/,
  ],
  [
    "very many emphasis marks",
    body("***a_".repeat(10_000)),
    /^body must have at most 2000 of the characters/,
  ],
  ["a button without an address", { ...MAIL, cta: { label: "Go" } }, /^cta\.url is required$/],
  ["a button without a label", { ...MAIL, cta: { url: "https://a.example" } }, /^cta\.label is required$/],
  ["a button with a blank label", cta("https://a.example", " "), /^cta\.label must not be blank$/],
  ["a label of 81 characters", cta("https://a.example", "x".repeat(81)), /^cta\.label must be at most 80/],
  ["a label with a tag", cta("https://a.example", "{% raw %}"), /^cta\.label must not use \{% raw %\}/],
  ["a button to a mailbox", cta("mailto:a@b.example"), /^cta\.url must be an http or https address$/],
  ["a button to a script", cta("javascript:alert(1)"), /^cta\.url must be an http or https address$/],
  ["a button to a path", cta("/plans"), /^cta\.url must be an http or https address$/],
  ["a button to nowhere", cta(""), /^cta\.url must not be empty$/],
  ["a button to no host", cta("https:///x"), /^cta\.url must be an http or https address$/],
  [
    "a button to a host with a blank",
    cta("https://a b.example/"),
    /^cta\.url must be an http or https address$/,
  ],
  [
    "a button to a port there is not",
    cta("https://a.example:99999/"),
    /^cta\.url must be an http or https address$/,
  ],
  ["a button to a field", cta("{{ user.url }}"), /^cta\.url must write out its host/],
  [
    "a button to a host with a field",
    cta("https://{{ user.id }}.example/"),
    /^cta\.url must write out its host/,
  ],
  [
    "a button with a destination",
    { ...MAIL, cta: { label: "x", destination: { kind: "website", url: "https://a.example" } } },
    /^cta/,
  ],
  ["in-app fields", { ...MAIL, presentation: "toast", title: "x", media: {} }, /presentation: unknown field/],
  ["another key", { ...MAIL, html: "<p>" }, /html: unknown field/],
];

describe("an email message", () => {
  for (const [name, message] of VALID) {
    it(`may be ${name}`, () => {
      const read = EmailMessage.safeParse(message, { reportInput: true });
      assert.equal(read.error && explainIssue(read.error, "message"), undefined);
      assert.deepEqual(read.data, message);
    });
  }
  for (const [name, message, rule] of INVALID) {
    it(`may not be ${name}`, () => {
      const { error } = EmailMessage.safeParse(message, { reportInput: true });
      assert.match(error === undefined ? "taken" : explainIssue(error, "message"), rule);
    });
  }

  it("is read in a moment, whatever its body repeats", () => {
    for (const part of [
      "[",
      "![",
      "[a](",
      "`a",
      "<!--",
      "| a |\n|-|\n",
      "- a\n",
      "[a][",
      "<a ",
      "1. ",
      "a_b*",
      "&amp",
      "{{user.a}}",
    ]) {
      const start = performance.now();
      EmailMessage.safeParse(body(part.repeat(50_000 / part.length)));
      assert.ok(performance.now() - start < 2_000, part);
    }
  });
});
