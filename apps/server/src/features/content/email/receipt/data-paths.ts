import { dataPathsOf, parseReceiptText } from "../../template/receipt-text.pure.ts";
import type { ReceiptMessage } from "./message.pure.ts";

/** What a template names of the data, in the order of its texts: `data.order.total`, `data.items[].price`. */
export function dataPathsIn({ subject, previewText = "", body, cta }: ReceiptMessage): string[] {
  const texts = [subject, previewText, body, cta?.label ?? "", cta?.url ?? ""];
  const paths = texts.flatMap((source) => {
    const text = parseReceiptText(source, "stored");
    return "fault" in text ? [] : dataPathsOf(text);
  });
  return [...new Set(paths)];
}
