import { AssertionError, LiquidError, Parser } from "liquidjs";
import { quotedPart, TemplateFault } from "./filters.pure.ts";
import { type FilledField, fillNodesOf } from "./receipt/fill.pure.ts";
import { type ReceiptNode, readReceiptNodes } from "./receipt/nodes.pure.ts";
import { MissingValue, ReceiptScope, receiptLiquid, TOO_MUCH_WORK, TooMuch } from "./receipt/scope.pure.ts";
import { sketchNodes } from "./receipt/sketches.pure.ts";
import { readReceiptTokens } from "./receipt/tags.pure.ts";
import type { Origin, TemplateUser } from "./template.pure.ts";

export type { FilledField } from "./receipt/fill.pure.ts";

/** A text of a receipt, parsed; `dataPaths` are what it names of the data. */
export type ReceiptText = { nodes: readonly ReceiptNode[]; dataPaths: readonly string[] };

/** What a receipt is filled in with: `data` as the request gave it, and its user. */
export type ReceiptValues = { data: Readonly<Record<string, unknown>>; user: TemplateUser };

/** A text that was filled in: static text, and outputs with their values. */
export type FilledText = { parts: readonly (string | FilledField)[] };

/** The first line of a message of LiquidJS, without "line:…". */
const reasonOf = (error: Error): string =>
  quotedPart((error.message.split("\n")[0] ?? "").replace(/, line:\d+.*$/, ""));

/**
 * Parses a text with outputs of `data.…`, `user.<trait>` and the variables of loops, and with the tags `if`, `unless`, `case`, `for` and
 * `comment` of Liquid. The fault is the end of a sentence about the text ("must not use {% assign %}: …"). A text of a request has at most
 * 500 outputs and 500 tags.
 */
export function parseReceiptText(
  source: string,
  origin: Origin = "request",
): ReceiptText | { fault: string } {
  try {
    const tokens = readReceiptTokens(source, origin);
    const { nodes, paths } = readReceiptNodes(new Parser(receiptLiquid).parseTokens(tokens));
    return { nodes, dataPaths: paths };
  } catch (error) {
    if (error instanceof TemplateFault) return { fault: error.message };
    if (LiquidError.is(error)) return { fault: `must have readable outputs and tags: ${reasonOf(error)}` };
    throw error;
  }
}

/** What a text names of the data: `data.order.total`, and `data.items[].price` for what a loop reads of each entry. */
export const dataPathsOf = (text: ReceiptText): readonly string[] => text.dataPaths;

/** What a text may come to, without values: one text for each of its branches, up to four. */
export const sketchesOf = (text: ReceiptText): FilledText[] =>
  sketchNodes(text.nodes).map((parts) => ({ parts }));

/**
 * Fills a text in. `missing` is the path of an output without a value (none, an object, or a list of which no filter makes a text) and
 * without a `default`, as in `data.items[1].price`; or of a loop without a list. Conditions may name what is missing. `tooMuch` is the end
 * of a sentence about a text that these values make too long. Never takes longer than some tenths of a second.
 */
export function fillReceiptText(
  text: ReceiptText,
  values: ReceiptValues,
): FilledText | { missing: string } | { tooMuch: string } {
  const scope = new ReceiptScope(values);
  try {
    return fillNodesOf(text.nodes, scope);
  } catch (error) {
    if (scope.isSpent) return { tooMuch: TOO_MUCH_WORK };
    if (error instanceof MissingValue) return { missing: error.path };
    if (error instanceof TooMuch) return { tooMuch: error.message };
    // LiquidJS counts the characters that filters make, and calls itself for lists in lists.
    if (error instanceof RangeError || error instanceof AssertionError || LiquidError.is(error))
      return { tooMuch: "must take less memory to fill in" };
    throw error;
  }
}
