import { z } from "zod";
import { text } from "../../../../platform/http/contract/fields.ts";
import { parseReceiptText, type ReceiptText, sketchesOf } from "../../template/receipt-text.pure.ts";
import { lexTemplate, markdownFault } from "../html/markdown.pure.ts";
import { MAX_TARGET } from "../html/target.ts";
import { checkedBy, isBlank } from "../message.pure.ts";
import { readReceiptTarget, SKETCHED_ADDRESS, writeLeads } from "./addresses.pure.ts";

const sketchedAddress = (): string => SKETCHED_ADDRESS;

/** Parses a text, and looks at what it may come to. */
function parsedFault(value: string, faultOf: (text: ReceiptText) => string | null): string | null {
  const parsed = parseReceiptText(value);
  return "fault" in parsed ? parsed.fault : faultOf(parsed);
}

const templateFault = (value: string): string | null => parsedFault(value, () => null);

function subjectFault(value: string): string | null {
  if (isBlank(value)) return "must not be blank";
  if (/[\r\n\u0085\u2028\u2029]/.test(value)) return "must not have line breaks";
  return templateFault(value);
}

function bodyFault(value: string): string | null {
  if (isBlank(value)) return "must not be blank";
  return parsedFault(value, (parsed) => {
    for (const sketch of sketchesOf(parsed)) {
      const body = lexTemplate(sketch, "request");
      if ("fault" in body) return body.fault;
      const lead = writeLeads(body, sketchedAddress);
      if (lead !== null) return `must not use ${lead.path} like this: it ${lead.message}`;
      const fault = markdownFault(body);
      if (fault !== null) return fault;
    }
    return null;
  });
}

function urlFault(value: string): string | null {
  return parsedFault(value, (parsed) => {
    for (const sketch of sketchesOf(parsed)) {
      const target = readReceiptTarget(sketch, sketchedAddress);
      if ("message" in target) return target.message;
    }
    return null;
  });
}

const labelFault = (value: string): string | null =>
  isBlank(value) ? "must not be blank" : templateFault(value);

/** The most bytes of the data of one mail, as compact JSON. */
export const MAX_RECEIPT_DATA = 32_768;

/** The message of a template of receipts, as a request gives it. All of its texts may name data and traits, and have tags of Liquid. */
export const ReceiptMessage = z
  .strictObject({
    subject: text(200).check(checkedBy(subjectFault)).describe("The subject; may name data and traits."),
    previewText: text(200, 0)
      .check(checkedBy(templateFault))
      .optional()
      .describe("What a mailbox shows beside the subject."),
    body: text(50_000)
      .check(checkedBy(bodyFault))
      .describe("Markdown, with `{{ data.… }}`, `{% if %}` and `{% for %}`."),
    cta: z
      .strictObject({
        label: text(80).check(checkedBy(labelFault)).describe("Text of the button."),
        url: text(MAX_TARGET)
          .check(checkedBy(urlFault))
          .describe("Where it leads; may begin with a value of the data."),
      })
      .optional()
      .describe("The button."),
  })
  .meta({ id: "ReceiptMessage" });
export type ReceiptMessage = z.infer<typeof ReceiptMessage>;
