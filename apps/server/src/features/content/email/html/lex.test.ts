import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { Lexer } from "marked";
import { lexMarkdown } from "./lex.ts";

const pieces = fc.constantFrom(
  "a ",
  "word ",
  "!",
  "http",
  "https://acme.example/x?y=1",
  "www.acme.example",
  "ada@acme.example",
  "  \n",
  "\n",
  "\n\n",
  "**b**",
  "_i_",
  "`c`",
  "[l](https://a.b)",
  "![p](https://a.b/c.png)",
  "<b>",
  "&amp;",
  "\\!",
  "- item\n",
  "> q\n",
  "|a|b|\n|-|-|\n|1|2|\n",
  "~~d~~",
  "# h\n",
  "({[",
  "a_b",
  "\t",
  "é🎉 ",
  `${"x".repeat(300)} `,
  ` ${"y".repeat(350)} `,
  "lorem ipsum dolor ".repeat(20),
  // Words in which an address begins where the parser stops to read.
  ...[280, 290, 292, 293, 294, 296, 298, 299, 300, 304].map(
    (length) => ` ${"z".repeat(length)}-https://acme.example/x `,
  ),
);

it("reads no more than it has to, and finds what the parser finds that reads all", () => {
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 20, maxLength: 80, size: "max" }), (parts) => {
      const text = parts.join("");
      const whole = [...new Lexer({ gfm: true, breaks: false, pedantic: false }).lex(text)];
      assert.deepEqual([...lexMarkdown(text)], whole);
    }),
    { numRuns: 200 },
  );
});
