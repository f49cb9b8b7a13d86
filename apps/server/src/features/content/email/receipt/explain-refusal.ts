import type { ReceiptRefusal } from "./fill-receipt.ts";

/** Why a receipt cannot be filled in, as a sentence that names the value, and in a word. */
export function explainRefusal(refusal: ReceiptRefusal): {
  reason: "data_missing" | "data_wrong";
  message: string;
} {
  if ("missing" in refusal) {
    const { path, field } = refusal.missing;
    return {
      reason: "data_missing",
      message: `${path} is missing: the ${field} of the template needs it, and has no default`,
    };
  }
  const { path, field, message } = refusal.wrong;
  return { reason: "data_wrong", message: `${path} ${message} (${field} of the template)` };
}
