import type { NamedTrait } from "../../audience/language/parse/diagnose.pure.ts";
import type { Path } from "../../audience/language/parse/diagnostics.pure.ts";
import { parseTemplate } from "../../content/template/template.pure.ts";
import type { Channel } from "./schema.ts";

/** The places of texts that may have personal fields, by channel; `*` is each entry of a list. */
const PERSONAL: Readonly<Record<Channel, readonly Path[]>> = {
  web_inapp: [["title"], ["body"], ["cta", "label"]],
  email: [["subject"], ["previewText"], ["body"], ["cta", "label"], ["cta", "url"]],
  push: [["title"], ["body"], ["ios", "subtitle"], ["actions", "*", "title"]],
};

type Text = { path: Path; text: string };

/** The texts at a path below a value, each with its exact place. */
function textsAt(value: unknown, [next, ...rest]: Path, at: Path): Text[] {
  if (next === undefined) return typeof value === "string" ? [{ path: at, text: value }] : [];
  if (typeof value !== "object" || value === null) return [];
  if (next === "*")
    return Array.isArray(value) ? value.flatMap((entry, index) => textsAt(entry, rest, [...at, index])) : [];
  // A key of an object from JSON.
  return textsAt((value as Record<string, unknown>)[next], rest, [...at, next]);
}

/** The traits that a text names, each once. `user.id` is not a trait. */
function namedIn(text: string): string[] {
  if (!text.includes("{{")) return [];
  const template = parseTemplate(text, "stored");
  if ("fault" in template) return [];
  const names = template.parts.flatMap((part) => (typeof part === "string" ? [] : [part.trait]));
  return [...new Set(names)].filter((name) => name !== "id");
}

/** The traits that the personal fields of a message name, and in which of its texts. `at` is the place of the message. */
export const traitsNamedIn = (channel: Channel, content: unknown, at: Path): NamedTrait[] =>
  PERSONAL[channel]
    .flatMap((place) => textsAt(content, place, []))
    .flatMap(({ path, text }) => namedIn(text).map((name) => ({ path: [...at, ...path], name })));
