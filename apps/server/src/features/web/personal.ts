import { cutText } from "@tidings/client/text";
import { MAX_WEB_TEXT, type WebMessage } from "../campaigns/authoring/message/message.pure.ts";
import {
  fillField,
  isStatic,
  parseTemplate,
  type Template,
  type TemplateUser,
} from "../content/template/template.pure.ts";
import type { InAppMessage } from "./schema.ts";

type Content = InAppMessage["content"];

/** Fills the personal fields of a message for one user; null where no text is left. */
export type Fill = (person: TemplateUser) => Content | null;

const NOTHING: Template = { parts: [] };

/** The fields of a stored text. One that cannot be parsed is older than personal fields, and is taken literally. */
function fieldsOf(source: unknown): Template {
  if (typeof source !== "string" || source === "") return NOTHING;
  const template = parseTemplate(source, "stored");
  return "fault" in template ? { parts: [source] } : template;
}

/** A text for one user, cut off at its limit in code points. */
function fillText({ parts }: Template, person: TemplateUser, max: number): string {
  const text = parts.map((part) => (typeof part === "string" ? part : fillField(part, person))).join("");
  return cutText(text, max);
}

/**
 * Reads the personal fields of a web message once; null where it has none. A field without a value and without a fallback is empty.
 * Texts are plain: a page shows them as they are, whatever is in a value.
 */
export function compileFields(content: Content): Fill | null {
  // The content was checked against the schema when it was saved.
  const { title, body, cta } = content as Partial<WebMessage>;
  const [titleOf, bodyOf, labelOf] = [title, body, cta?.label].map(fieldsOf) as [
    Template,
    Template,
    Template,
  ];
  if ([titleOf, bodyOf, labelOf].every(isStatic)) return null;
  return (person) => {
    const texts = {
      ...(title === undefined ? {} : { title: fillText(titleOf, person, MAX_WEB_TEXT.title) }),
      ...(body === undefined ? {} : { body: fillText(bodyOf, person, MAX_WEB_TEXT.body) }),
    };
    if (Object.values(texts).every((text) => text.trim() === "")) return null;
    if (cta === undefined) return { ...content, ...texts };
    const { cta: _, ...rest } = content;
    const label = fillText(labelOf, person, MAX_WEB_TEXT.label);
    // A button has to say what it does.
    return label.trim() === "" ? { ...rest, ...texts } : { ...content, ...texts, cta: { ...cta, label } };
  };
}

/** Whether a message may have no text left for some user: neither its title nor its body has a character that all users see. */
export function mayBeBlank(content: Content): boolean {
  // The content was checked against the schema when it was saved.
  const { title, body } = content as Partial<WebMessage>;
  return [title, body].every((text) =>
    fieldsOf(text).parts.every((part) => typeof part !== "string" || part.trim() === ""),
  );
}
