import { ANY_VALUE } from "../../access/perimeter/hosts.pure.ts";
import { type Field, MAX_PAGE_TEXT, parseTemplate } from "./template.pure.ts";
import { withoutTrait } from "./words.pure.ts";

/** What a personal field says of some user. */
export type Filling = (field: Field) => string;

/** Values of traits that make filters show what they add: a text, an instant, a number, a list. */
const SAMPLES: readonly unknown[] = [ANY_VALUE, "2026-01-02T03:04:05Z", 7, [ANY_VALUE, ANY_VALUE]];

const filled =
  (value: unknown): Filling =>
  ({ filters }) =>
    filters === null ? ANY_VALUE : filters(value);

/** What the fields of a text may say: of a user without the traits, and of users with a value, which is `ANY_VALUE` where it is shown. */
export const fillingsOf = (source: string): readonly Filling[] => {
  if (!source.includes("{{")) return [withoutTrait];
  return [withoutTrait, ...(source.includes("|") ? SAMPLES : SAMPLES.slice(0, 1)).map(filled)];
};

const LONG_TEXT = "x".repeat(MAX_PAGE_TEXT);

/** The longest that a personal field is likely to say: its fallback, or a text as long as pages may say one of a user. */
export const longFilling: Filling = (field) => {
  const [without, long] = [withoutTrait(field), field.filters?.(LONG_TEXT) ?? LONG_TEXT];
  return without.length > long.length ? without : long;
};

const QUOTED = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/g;

/** The texts that the filters of a text's fields are given. */
export function quotedIn(source: string): string[] {
  const template = parseTemplate(source, "stored");
  if ("fault" in template) return [];
  return template.parts.flatMap((part) => {
    if (typeof part === "string") return [];
    const filters = part.source.slice(part.source.indexOf("|") + 1);
    return part.source.includes("|") ? [...filters.matchAll(QUOTED)].map(([, a, b]) => a ?? b ?? "") : [];
  });
}
