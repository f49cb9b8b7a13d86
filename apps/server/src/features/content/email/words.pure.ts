import type { Token } from "marked";
import type { Field } from "../template/template.pure.ts";
import { withoutTrait } from "../template/words.pure.ts";
import { decodeEntities } from "./html/entities.pure.ts";
import { type Body, parseBody, tokensOf } from "./html/markdown.pure.ts";

type WordsOf = (text: string) => string;

/** The texts of tokens without their markup; what stands apart is on a line of its own. */
function wordsIn(tokens: readonly Token[], read: WordsOf): string {
  let words = "";
  for (const token of tokensOf(tokens)) {
    if (token.type === "list") words += token.items.map((item) => `${wordsIn(item.tokens, read)}\n`).join("");
    else if (token.type === "table")
      words += [token.header, ...token.rows]
        .flat()
        .map((cell) => `${wordsIn(cell.tokens, read)}\n`)
        .join("");
    else if (token.type === "br" || token.type === "space") words += "\n";
    else if (token.type === "code") words += `${read(token.text)}\n`;
    else if (token.type === "codespan") words += read(token.text);
    else if (token.type === "image") words += decodeEntities(read(token.text));
    else if ("tokens" in token && token.tokens !== undefined) words += wordsIn(token.tokens, read);
    else if ("text" in token) words += decodeEntities(read(token.text));
    if (token.type === "paragraph" || token.type === "heading" || token.type === "blockquote") words += "\n";
  }
  return words;
}

/** What people read of a Markdown text that was parsed, with its personal fields as `fill` says them. */
export const wordsOfBody = (body: Body, fill: (field: Field) => string): string =>
  wordsIn(body.tokens, (text) =>
    body.fields
      .read(text)
      .map((part) => (typeof part === "string" ? part : fill(part)))
      .join(""),
  );

/** What people read of a Markdown text, with its personal fields as if the users had none of the traits; null where it cannot be parsed. */
export function wordsOfMarkdown(source: string): string | null {
  const body: Body | { fault: string } = parseBody(source, "stored");
  return "fault" in body ? null : wordsOfBody(body, withoutTrait);
}
