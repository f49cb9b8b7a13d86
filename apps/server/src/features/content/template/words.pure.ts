import { type Field, parseTemplate } from "./template.pure.ts";

/** What a personal field says of a user who has nothing there. */
export const withoutTrait = ({ filters, fallback }: Field): string =>
  filters === null ? (fallback ?? "") : filters("");

/** A text with its personal fields as if the user had none of the traits; null where it cannot be parsed. */
export function wordsOfTemplate(source: string): string | null {
  const template = parseTemplate(source, "stored");
  if ("fault" in template) return null;
  return template.parts.map((part) => (typeof part === "string" ? part : withoutTrait(part))).join("");
}
