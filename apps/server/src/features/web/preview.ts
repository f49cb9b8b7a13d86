import type { WebMessage } from "../campaigns/authoring/message/message.pure.ts";
import type { TemplateUser } from "../content/template/template.pure.ts";
import { compileFields } from "./personal.ts";
import { presentationOf } from "./rules.ts";
import type { InAppMessage } from "./schema.ts";

/** The content of a message that a user would be served, by the code that serves it; null where no text is left. */
export function previewWeb(message: WebMessage, person: TemplateUser): InAppMessage["content"] | null {
  const content = { ...message, presentation: presentationOf(message) };
  const fill = compileFields(content);
  return fill === null ? content : fill(person);
}
