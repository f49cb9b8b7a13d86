import { TagToken, Tokenizer, TokenKind, type TopLevelToken, TypeGuards } from "liquidjs";
import { assertBounded, assertZones, FIELD_FILTERS, quotedPart, TemplateFault } from "../filters.pure.ts";
import type { Origin } from "../template.pure.ts";
import { receiptLiquid } from "./scope.pure.ts";

/** What receipts need besides the filters of fields: sums, and how many there are. */
const RECEIPT_FILTERS: readonly string[] = [...FIELD_FILTERS, "minus", "plus", "size"].toSorted();

const OPENING = ["if", "unless", "case", "for"];
const WITHIN = ["elsif", "else", "when", "break", "continue"];
const WITHOUT_WORDS = new Set(["else", "break", "continue", ...OPENING.map((name) => `end${name}`)]);

const MAX_OUTPUTS = 500;
const MAX_TAGS = 500;
const MAX_DEPTH = 16;
/** Characters of an output or a tag: enough for five filters with long texts. */
const MAX_EXPRESSION = 4_000;

/** A name that campaigns may write without brackets. */
const DOLLAR_STEP = /^\{[{%][^"']{0,200}\w\.\$/;

const refuse = (token: TagToken, why: string): never => {
  throw new TemplateFault(`${why}: ${quotedPart(token.getText())}`);
};

/** Liquid leaves out of a tag what it cannot read, so that a slip would go unseen. */
function checkRest(token: TagToken): void {
  const tokenizer = new Tokenizer(token.args, receiptLiquid.options.operators);
  if (WITHOUT_WORDS.has(token.name) && token.args.trim() !== "")
    refuse(token, `must have nothing behind ${token.name}`);
  if (token.name === "for") {
    tokenizer.readIdentifier();
    tokenizer.readIdentifier();
    tokenizer.readValue();
    tokenizer.readHashes(":");
    tokenizer.skipBlank();
    if (!tokenizer.end()) refuse(token, "must loop over a list, as in {% for item in data.items limit: 5 %}");
  }
  if (token.name !== "when") return;
  for (let isFirst = true; isFirst || !tokenizer.end(); isFirst = false) {
    tokenizer.readValueOrThrow();
    tokenizer.skipBlank();
    if (tokenizer.peek() === ",") tokenizer.advance();
    else if (tokenizer.match("or")) tokenizer.advance(2);
    else if (!tokenizer.end()) refuse(token, "must have texts or numbers with commas between them");
    tokenizer.skipBlank();
  }
}

function checkName(token: TagToken): void {
  const { name } = token;
  const isKnown = OPENING.includes(name) || WITHIN.includes(name) || WITHOUT_WORDS.has(name);
  if (!isKnown && name !== "comment")
    throw new TemplateFault(
      `must not use {% ${quotedPart(name)} %}: there are the tags ${OPENING.join(", ")} and comment`,
    );
}

function checkOutput(token: TopLevelToken & { input: string; content: string }, origin: Origin): void {
  const source = token.content.trim();
  if (source === "") throw new TemplateFault("must not have an empty output: {{ }}");
  const written = new Tokenizer(source, receiptLiquid.options.operators).readFilteredValue();
  if (origin === "request") assertBounded(source, written, RECEIPT_FILTERS);
  if (origin === "request") assertZones(source, written, receiptLiquid);
}

/**
 * The tokens of a text, with only tags that a receipt may have, and within the bounds of a request. The depth counts for stored texts too:
 * LiquidJS calls itself for each level. @throws TemplateFault, and errors of LiquidJS for what it cannot read
 */
export function readReceiptTokens(source: string, origin: Origin): TopLevelToken[] {
  const { options } = receiptLiquid;
  const tokens = new Tokenizer(source, options.operators).readTopLevelTokens(options);
  let [outputs, tags, depth, isComment] = [0, 0, 0, false];
  for (const token of tokens) {
    if (isComment) {
      isComment = !(token instanceof TagToken && token.name === "endcomment");
      continue;
    }
    if (token.kind !== TokenKind.HTML && token.getText().length > MAX_EXPRESSION)
      throw new TemplateFault(
        `must have at most ${MAX_EXPRESSION} characters in an output or tag: ${quotedPart(token.getText())}`,
      );
    if (token.kind !== TokenKind.HTML && DOLLAR_STEP.test(token.getText()))
      throw new TemplateFault(
        `must write names with a $ in brackets, as in {{ user["$country"] }}: ${quotedPart(token.getText())}`,
      );
    if (token instanceof TagToken) {
      tags++;
      checkName(token);
      checkRest(token);
      isComment = token.name === "comment";
      if (OPENING.includes(token.name)) depth++;
      if (token.name.startsWith("end")) depth--;
      if (depth > MAX_DEPTH) throw new TemplateFault(`must nest at most ${MAX_DEPTH} tags`);
    } else if (TypeGuards.isOutputToken(token)) {
      outputs++;
      checkOutput(token, origin);
    }
  }
  if (origin === "request" && outputs > MAX_OUTPUTS)
    throw new TemplateFault(`must have at most ${MAX_OUTPUTS} outputs`);
  if (origin === "request" && tags > MAX_TAGS) throw new TemplateFault(`must have at most ${MAX_TAGS} tags`);
  return tokens;
}
