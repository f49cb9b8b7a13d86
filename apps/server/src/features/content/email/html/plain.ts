import type { Tokens } from "marked";
import { type Body, targetOf, tokensOf } from "./markdown.pure.ts";
import type { Renderer } from "./renderer.ts";

type Writer = { renderer: Renderer; body: Body };
type Nodes = Parameters<typeof tokensOf>[0];

/** As wide as a rule below a heading gets. */
const MAX_RULE = 60;

const oneLine = (text: string): string => text.replace(/[ \t]*\n[ \t]*/g, " ");

/** Lines with something in front of them: one text before the first, another before the others. */
const indented = (text: string, first: string, others: string): string =>
  text
    .split("\n")
    .map((line, index) => ((index === 0 ? first : others) + line).trimEnd())
    .join("\n");

function link(token: Tokens.Link, writer: Writer): string {
  const text =
    token.autolink === true ? writer.renderer.markdown(token.text, true) : inline(token.tokens, writer);
  const target = targetOf(token, writer.body.fields);
  if ("fault" in target) return text;
  if (target.kind === "mail") {
    const address = writer.renderer.address(target).replace(/^mailto:/i, "");
    return text === address ? text : `${text} (${address})`;
  }
  const url = writer.renderer.link(target);
  return token.autolink === true || text === "" ? url : `${text} (${url})`;
}

function inline(tokens: Nodes, writer: Writer): string {
  const { renderer } = writer;
  let text = "";
  for (const token of tokensOf(tokens)) {
    if (token.type === "text")
      text +=
        token.tokens === undefined ? oneLine(renderer.markdown(token.text)) : inline(token.tokens, writer);
    else if (token.type === "strong" || token.type === "em" || token.type === "del")
      text += inline(token.tokens, writer);
    else if (token.type === "br") text += "\n";
    else if (token.type === "link") text += link(token, writer);
    else if (token.type === "image") text += token.text === "" ? "" : `[${renderer.markdown(token.text)}]`;
    else if (token.type === "checkbox") text += token.checked ? "[x] " : "[ ] ";
    else text += oneLine(renderer.markdown("text" in token ? token.text : token.raw, true));
  }
  return text;
}

function list(token: Tokens.List, writer: Writer): string {
  const first = typeof token.start === "number" ? token.start : 1;
  return token.items
    .map((item, index) => {
      const marker = token.ordered ? `${first + index}. ` : "- ";
      return indented(
        blocks(item.tokens, writer, token.loose ? "\n\n" : "\n"),
        marker,
        " ".repeat(marker.length),
      );
    })
    .join(token.loose ? "\n\n" : "\n");
}

function table(token: Tokens.Table, writer: Writer): string {
  const row = (cells: readonly Tokens.TableCell[]): string =>
    cells.map((cell) => inline(cell.tokens, writer)).join(" | ");
  const header = row(token.header);
  return [header, ruleBelow(header, "-"), ...token.rows.map(row)].join("\n");
}

const ruleBelow = (text: string, character: string): string =>
  character.repeat(Math.min(Math.max(...text.split("\n").map((line) => [...line].length), 3), MAX_RULE));

function heading(token: Tokens.Heading, writer: Writer): string {
  const text = inline(token.tokens, writer);
  return token.depth > 2 ? text : `${text}\n${ruleBelow(text, token.depth === 1 ? "=" : "-")}`;
}

function block(token: ReturnType<typeof tokensOf>[number], writer: Writer): string {
  if (token.type === "heading") return heading(token, writer);
  if (token.type === "paragraph") return inline(token.tokens, writer);
  if (token.type === "list") return list(token, writer);
  if (token.type === "blockquote") return indented(blocks(token.tokens, writer), "> ", "> ");
  if (token.type === "table") return table(token, writer);
  if (token.type === "hr") return "-".repeat(20);
  if (token.type === "code") return indented(writer.renderer.markdown(token.text, true), "    ", "    ");
  if (token.type === "html") return writer.renderer.markdown(token.raw, true).trimEnd();
  return inline([token], writer);
}

function blocks(tokens: Nodes, writer: Writer, between = "\n\n"): string {
  const shown = tokensOf(tokens).filter(({ type }) => type !== "space" && type !== "def");
  let text = "";
  for (const [index, token] of shown.entries()) {
    // What a list item says and its box to tick are two tokens of one line.
    const joins = index === 0 || shown[index - 1]?.type === "checkbox";
    text += (joins ? "" : between) + block(token, writer);
  }
  return text;
}

/** The body as text to be read as it is, with marks for its slots. */
export const writePlain = (body: Body, renderer: Renderer): string =>
  blocks([...body.tokens], { renderer, body });
