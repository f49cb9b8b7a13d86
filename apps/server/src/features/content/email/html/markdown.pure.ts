import { cutAfter } from "@tidings/client/text";
import type { MarkedToken, Token } from "marked";
import { type Field, type Origin, parseTemplate, type Template } from "../../template/template.pure.ts";
import {
  MAX_CELLS,
  MAX_MARKDOWN_DEPTH,
  sizeFault,
  storedSizeFault,
  TOO_DEEP,
  TOO_MANY_CELLS,
} from "../sizes.ts";
import { decodeEntities } from "./entities.pure.ts";
import { lexMarkdown } from "./lex.ts";
import { createPlaceholders, type Placeholders } from "./placeholders.ts";
import { MAX_TARGET, readTarget, type Target, type TargetFault } from "./target.ts";

/** A Markdown text, parsed; a placeholder stands in its tokens for each personal field. `template`: the text as it was written. */
export type Body = { tokens: readonly MarkedToken[]; fields: Placeholders<Field>; template: Template };

const MAX_LINKS = 300;
/** In characters. One definition with a title can serve every link, and the title then stands in the mail once for each. */
const MAX_TITLE = 300;
/** Characters of an address in a refusal. */
const MAX_SHOWN_ADDRESS = 60;
/** The tokens with the narrower type: marked's own type allows others for extensions alone, and we use none. */
export const tokensOf = (tokens: readonly Token[]): readonly MarkedToken[] =>
  tokens as readonly MarkedToken[];

/** The tokens directly inside a token. */
export function inside(token: MarkedToken): readonly Token[] {
  if (token.type === "list") return token.items;
  if (token.type === "table") return [token.header, ...token.rows].flat().flatMap((cell) => cell.tokens);
  return "tokens" in token ? (token.tokens ?? []) : [];
}

/** Where a link or an image of the body leads. */
export function targetOf(
  token: { href: string; autolink?: boolean },
  fields: Placeholders<Field>,
): Target | { fault: TargetFault } {
  const parts = fields.read(token.href);
  return readTarget(
    token.autolink === true
      ? parts
      : parts.map((part) => (typeof part === "string" ? decodeEntities(part) : part)),
  );
}

/** An address as a refusal quotes it: with its fields as `{{ … }}`. */
const shown = (href: string, fields: Placeholders<Field>): string => {
  const text = fields
    .read(href)
    .map((part) => (typeof part === "string" ? part : `{{ ${part.source} }}`))
    .join("");
  return cutAfter(text, MAX_SHOWN_ADDRESS);
};

function linkFault(token: MarkedToken, fields: Placeholders<Field>): string | null {
  if (token.type !== "link" && token.type !== "image") return null;
  const target = targetOf(token, fields);
  if ("fault" in target) {
    const faults: Readonly<Record<TargetFault, string>> = {
      scheme: `must link to http, https and mailto addresses only, not to ${shown(token.href, fields)}`,
      host: `must write out the host of a link before a personal field: ${shown(token.href, fields)}`,
      length: `must have links of at most ${MAX_TARGET} characters`,
    };
    return faults[target.fault];
  }
  if ((token.title?.length ?? 0) > MAX_TITLE)
    return `must have titles of links of at most ${MAX_TITLE} characters`;
  return token.type === "image" && target.kind === "mail"
    ? "must have images with http(s) addresses only"
    : null;
}

/** Why a Markdown text that was lexed cannot be sent, or null: its links, its tables, how deep it nests. */
export function markdownFault(body: Body): string | null {
  let links = 0;
  let cells = 0;
  const walk = (tokens: readonly Token[], depth: number): string | null => {
    if (depth > MAX_MARKDOWN_DEPTH) return TOO_DEEP;
    for (const token of tokensOf(tokens)) {
      if ((token.type === "link" || token.type === "image") && ++links > MAX_LINKS)
        return `must have at most ${MAX_LINKS} links and images`;
      if (token.type === "table") cells += token.header.length * (token.rows.length + 1);
      if (cells > MAX_CELLS) return TOO_MANY_CELLS;
      const fault = linkFault(token, body.fields) ?? walk(inside(token), depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  };
  return walk(body.tokens, 0);
}

/** The tokens of a Markdown text, with a placeholder for each of its fields. `markdownFault` looks at its links. */
export function lexTemplate(template: Template, origin: Origin): Body | { fault: string } {
  const fields = createPlaceholders<Field>();
  const marked = template.parts
    .map((part) => (typeof part === "string" ? fields.text(part) : fields.put(part)))
    .join("");
  const tooMuch = origin === "stored" ? storedSizeFault(marked) : sizeFault(marked);
  if (tooMuch !== null) return { fault: tooMuch };
  try {
    return { tokens: tokensOf(lexMarkdown(marked)), fields, template };
  } catch (error) {
    // The parser calls itself for each level of nesting, so deep nesting overflows its stack.
    if (error instanceof RangeError) return { fault: TOO_DEEP };
    throw error;
  }
}

/**
 * Parses Markdown (CommonMark with GitHub's tables, task lists and bare links) that may have personal fields anywhere. The
 * fault is the end of a sentence about the text ("must link to …"). Takes some tens of milliseconds at most, for any text of a request.
 */
export function parseBody(source: string, origin: Origin = "request"): Body | { fault: string } {
  const template = parseTemplate(source, origin);
  if ("fault" in template) return template;
  const body = lexTemplate(template, origin);
  if ("fault" in body) return body;
  const fault = markdownFault(body);
  return fault === null ? body : { fault };
}
