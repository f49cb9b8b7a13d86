import { z } from "zod";
import { text } from "../../../platform/http/contract/fields.ts";
import { parseTemplate } from "../template/template.pure.ts";
import { parseBody } from "./html/markdown.pure.ts";
import { MAX_TARGET, readTarget } from "./html/target.ts";

/** Adds the fault of a text (the end of a sentence about it) as the issue of its field. */
export const checkedBy = (faultOf: (text: string) => string | null) => (ctx: z.core.ParsePayload<string>) => {
  if (ctx.issues.length > 0) return;
  const fault = faultOf(ctx.value);
  if (fault !== null) ctx.issues.push({ code: "custom", message: fault, input: ctx.value });
};

export const isBlank = (value: string): boolean => value.trim() === "";

function templateFault(value: string): string | null {
  const template = parseTemplate(value);
  return "fault" in template ? template.fault : null;
}

function subjectFault(value: string): string | null {
  if (isBlank(value)) return "must not be blank";
  if (/[\r\n\u0085\u2028\u2029]/.test(value)) return "must not have line breaks";
  return templateFault(value);
}

function bodyFault(value: string): string | null {
  if (isBlank(value)) return "must not be blank";
  const body = parseBody(value);
  return "fault" in body ? body.fault : null;
}

function urlFault(value: string): string | null {
  const template = parseTemplate(value);
  if ("fault" in template) return template.fault;
  const target = readTarget(template.parts);
  if ("fault" in target && target.fault === "host")
    return "must write out its host before a personal field, as in https://example.com/{{ user.id }}";
  return "fault" in target || target.kind === "mail" ? "must be an http or https address" : null;
}

const labelFault = (value: string): string | null =>
  isBlank(value) ? "must not be blank" : templateFault(value);

/** The message of an email campaign, as a request gives it. All of its texts may have personal fields. */
export const EmailMessage = z
  .strictObject({
    subject: text(200).check(checkedBy(subjectFault)).describe("The subject; may have personal fields."),
    previewText: text(200, 0)
      .check(checkedBy(templateFault))
      .optional()
      .describe("What a mailbox shows beside the subject."),
    body: text(50_000).check(checkedBy(bodyFault)).describe("Markdown."),
    cta: z
      .strictObject({
        label: text(80).check(checkedBy(labelFault)).describe("Text of the button."),
        url: text(MAX_TARGET).check(checkedBy(urlFault)).describe("Where it leads."),
      })
      .optional()
      .describe("The button."),
  })
  .meta({ id: "EmailMessage" });
export type EmailMessage = z.infer<typeof EmailMessage>;
