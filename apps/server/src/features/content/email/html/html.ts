import type { Tokens } from "marked";
import { directionOf, type TextDirection } from "../language.ts";
import { type Body, targetOf, tokensOf } from "./markdown.pure.ts";
import type { Renderer } from "./renderer.ts";
import { STYLE } from "./theme.ts";

type Writer = { renderer: Renderer; body: Body; direction: TextDirection };
type Nodes = Parameters<typeof tokensOf>[0];

const PARAGRAPH_GAP = 16;
const ITEM_GAP = 6;
const INDENT = 26;
const CELL_GAP = 8;

/** The text without its fields: a field does not show in which direction the text is read. */
const withoutFields = (marked: string, { body }: Writer): string =>
  body.fields
    .read(marked)
    .filter((part) => typeof part === "string")
    .join("");

/**
 * The direction of a block, and the attribute that states it where it differs from its surroundings. A block of nothing but fields is `auto`:
 * the mail program decides by the values that are filled in.
 */
function blockDirection(marked: string, writer: Writer): { direction: TextDirection; attribute: string } {
  const text = withoutFields(marked, writer);
  const own = directionOf(text);
  if (own === null && text.length < marked.length)
    return { direction: writer.direction, attribute: ' dir="auto"' };
  const direction = own ?? writer.direction;
  return { direction, attribute: direction === writer.direction ? "" : ` dir="${direction}"` };
}

const startOf = (direction: TextDirection): "left" | "right" => (direction === "rtl" ? "right" : "left");

function link(token: Tokens.Link, writer: Writer): string {
  const inner =
    token.autolink === true ? writer.renderer.markdown(token.text, true) : inline(token.tokens, writer);
  const target = targetOf(token, writer.body.fields);
  if ("fault" in target) return inner;
  const title = token.title ? ` title="${writer.renderer.markdown(token.title)}"` : "";
  return `<a class="t-link" href="${writer.renderer.link(target)}"${title} style="${STYLE.link}">${inner}</a>`;
}

function image(token: Tokens.Image, { renderer, body }: Writer, style: string): string {
  const target = targetOf(token, body.fields);
  const alt = renderer.markdown(token.text);
  if ("fault" in target || target.kind === "mail") return alt;
  const title = token.title ? ` title="${renderer.markdown(token.title)}"` : "";
  return `<img src="${renderer.address(target)}" alt="${alt}"${title} style="${style}">`;
}

function inline(tokens: Nodes, writer: Writer): string {
  const { renderer } = writer;
  let html = "";
  for (const token of tokensOf(tokens)) {
    if (token.type === "text")
      html += token.tokens === undefined ? renderer.markdown(token.text) : inline(token.tokens, writer);
    else if (token.type === "strong") html += `<strong>${inline(token.tokens, writer)}</strong>`;
    else if (token.type === "em") html += `<em>${inline(token.tokens, writer)}</em>`;
    else if (token.type === "del") html += `<del>${inline(token.tokens, writer)}</del>`;
    else if (token.type === "codespan")
      html += `<code class="t-panel" style="${STYLE.code}">${renderer.markdown(token.text, true)}</code>`;
    else if (token.type === "br") html += "<br>";
    else if (token.type === "link") html += link(token, writer);
    else if (token.type === "image") html += image(token, writer, STYLE.image);
    else if (token.type === "checkbox") html += token.checked ? "&#9745; " : "&#9744; ";
    else html += renderer.markdown("text" in token ? token.text : token.raw, true);
  }
  return html;
}

/** A paragraph of one image, with or without a link around it, is shown as a large picture; null for any other paragraph. */
function picture(tokens: Nodes, writer: Writer): string | null {
  const [only, ...others] = tokensOf(tokens);
  if (only === undefined || others.length > 0) return null;
  if (only.type === "image") return image(only, writer, STYLE.picture);
  const [inner, ...more] = only.type === "link" ? tokensOf(only.tokens) : [];
  if (only.type !== "link" || inner?.type !== "image" || more.length > 0) return null;
  const target = targetOf(only, writer.body.fields);
  const shown = image(inner, writer, STYLE.picture);
  return "fault" in target ? shown : `<a href="${writer.renderer.link(target)}">${shown}</a>`;
}

function list(token: Tokens.List, writer: Writer, top: number, gap: number): string {
  const { direction, attribute } = blockDirection(token.items.map((item) => item.text).join("\n"), writer);
  const items = token.items.map((item, index) => {
    const itemGap = index === token.items.length - 1 ? 0 : token.loose ? PARAGRAPH_GAP : ITEM_GAP;
    const marker = item.task ? "list-style:none;" : "";
    return `<li style="${marker}${STYLE.item(itemGap)}">${blocks(item.tokens, { ...writer, direction }, true)}</li>\n`;
  });
  const indent = token.items.every(({ task }) => task) ? 0 : INDENT;
  const style = STYLE.list(top, gap, startOf(direction), indent);
  const name = token.ordered ? "ol" : "ul";
  const start = typeof token.start === "number" && token.start !== 1 ? ` start="${token.start}"` : "";
  return `<${name}${start}${attribute} style="${style}">\n${items.join("")}</${name}>\n`;
}

function quote(token: Tokens.Blockquote, writer: Writer, gap: number): string {
  const { direction, attribute } = blockDirection(token.text, writer);
  const inner = blocks(token.tokens, { ...writer, direction });
  const style = STYLE.quote(gap, startOf(direction));
  return `<blockquote class="t-muted t-line"${attribute} style="${style}">\n${inner}</blockquote>\n`;
}

function table(token: Tokens.Table, writer: Writer, gap: number): string {
  const { direction: flow, attribute: flowing } = blockDirection(
    token.header.map(({ text }) => text).join("\n"),
    writer,
  );
  const cell = (name: "th" | "td", { tokens, align, text }: Tokens.TableCell, index: number): string => {
    const { direction, attribute } = blockDirection(text, { ...writer, direction: flow });
    const [before, after] = [index === 0 ? 0 : CELL_GAP, index === token.header.length - 1 ? 0 : CELL_GAP];
    const padding = flow === "rtl" ? STYLE.cellPadding(after, before) : STYLE.cellPadding(before, after);
    const style = `${padding};${name === "th" ? STYLE.header : STYLE.cell};text-align:${align ?? startOf(direction)}`;
    const scope = name === "th" ? ' scope="col"' : "";
    return `<${name} class="t-line"${scope}${attribute} style="${style}">${inline(tokens, writer)}</${name}>`;
  };
  const row = (name: "th" | "td", cells: readonly Tokens.TableCell[]): string =>
    `<tr>${cells.map((one, index) => cell(name, one, index)).join("")}</tr>\n`;
  const rows = row("th", token.header) + token.rows.map((cells) => row("td", cells)).join("");
  return `<div style="${STYLE.tableFrame(gap)}"><table${flowing} cellpadding="0" cellspacing="0" style="${STYLE.table}">\n${rows}</table></div>\n`;
}

const withBreaks = (html: string): string => html.trimEnd().replaceAll("\n", "<br>\n");

/** Blocks one below the other. The last one has no gap below it: what surrounds the blocks brings its own. */
function blocks(tokens: Nodes, writer: Writer, isTight = false): string {
  const shown = tokensOf(tokens).filter(({ type }) => type !== "space" && type !== "def");
  return shown
    .map((token, index) => {
      const gap = index === shown.length - 1 ? 0 : PARAGRAPH_GAP;
      const text = (inner: string): string => {
        const { attribute } = blockDirection(token.raw, writer);
        return `<p${attribute} style="${STYLE.paragraph(gap)}">${inner}</p>\n`;
      };
      if (token.type === "heading") {
        const { attribute } = blockDirection(token.text, writer);
        const style = STYLE.heading(token.depth, gap, index === 0);
        return `<h${token.depth}${attribute} style="${style}">${inline(token.tokens, writer)}</h${token.depth}>\n`;
      }
      if (token.type === "paragraph")
        return text(picture(token.tokens, writer) ?? inline(token.tokens, writer));
      if (token.type === "list") {
        const top = isTight && index > 0 ? ITEM_GAP : 0;
        return list(token, writer, top, isTight ? Math.min(gap, ITEM_GAP) : gap);
      }
      if (token.type === "blockquote") return quote(token, writer, gap);
      if (token.type === "table") return table(token, writer, gap);
      if (token.type === "hr") return `<hr class="t-line" style="${STYLE.rule}">\n`;
      if (token.type === "code")
        return `<pre class="t-panel" dir="ltr" style="${STYLE.codeBlock(gap)}">${writer.renderer.markdown(token.text, true)}</pre>\n`;
      if (token.type === "html") return text(withBreaks(writer.renderer.markdown(token.raw, true)));
      return isTight ? inline([token], writer) : text(inline([token], writer));
    })
    .join("");
}

/** The body as HTML with inline styles and placeholders for its slots. Raw HTML in it is shown as text. */
export const writeHtml = (body: Body, renderer: Renderer, direction: TextDirection): string =>
  blocks([...body.tokens], { renderer, body, direction });
