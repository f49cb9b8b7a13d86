import { parseReceiptText, sketchesOf } from "../../template/receipt-text.pure.ts";
import { withoutTrait } from "../../template/words.pure.ts";
import { lexTemplate } from "../html/markdown.pure.ts";
import { wordsOfBody } from "../words.pure.ts";

/** What people may read of a text of a receipt, without values: a text for each of its branches, up to four; none where it cannot be parsed. */
export function wordsOfReceipt(source: string, isMarkdown: boolean): string[] {
  const text = parseReceiptText(source, "stored");
  if ("fault" in text) return [];
  return sketchesOf(text).flatMap((sketch) => {
    if (!isMarkdown)
      return [sketch.parts.map((part) => (typeof part === "string" ? part : withoutTrait(part))).join("")];
    const body = lexTemplate(sketch, "stored");
    return "fault" in body ? [] : [wordsOfBody(body, withoutTrait)];
  });
}
