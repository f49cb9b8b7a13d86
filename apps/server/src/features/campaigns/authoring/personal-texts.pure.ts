import type { NamedTrait } from "../../audience/language/parse/diagnose.pure.ts";
import type { Path } from "../../audience/language/parse/diagnostics.pure.ts";
import { type Field, parseTemplate } from "../../content/template/template.pure.ts";
import type { Channel } from "./schema.ts";

/** The places of texts that may have personal fields, by channel; `*` is each entry of a list. */
const PERSONAL: Readonly<Record<Channel, readonly Path[]>> = {
  web_inapp: [["title"], ["body"], ["cta", "label"]],
  email: [["subject"], ["previewText"], ["body"], ["cta", "label"], ["cta", "url"]],
  push: [["title"], ["body"], ["ios", "subtitle"], ["actions", "*", "title"]],
};

/** The places of texts that are shown as they are written: the body of a mail is Markdown, and an address is not read. */
const PLAIN: Readonly<Record<Channel, readonly Path[]>> = {
  web_inapp: [...PERSONAL.web_inapp, ["media", "alt"]],
  email: [["subject"], ["previewText"], ["cta", "label"]],
  push: PERSONAL.push,
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

const textsIn = (places: readonly Path[], content: unknown, at: Path): Text[] =>
  places
    .flatMap((place) => textsAt(content, place, []))
    .map(({ path, text }) => ({ path: [...at, ...path], text }));

/** The texts of a message that readers see as they are written, with their places. `at` is the place of the message. */
export const plainTextsIn = (channel: Channel, content: unknown, at: Path): Text[] =>
  textsIn(PLAIN[channel], content, at);

/** The personal fields of a text; none where it cannot be parsed, and is taken literally. */
function fieldsOf(text: string): Field[] {
  if (!text.includes("{{")) return [];
  const template = parseTemplate(text, "stored");
  return "fault" in template ? [] : template.parts.filter((part) => typeof part !== "string");
}

/** The personal fields of a message in the order of its texts, each with the place of its text. `at` is the place of the message. */
export const fieldsIn = (channel: Channel, content: unknown, at: Path): { path: Path; field: Field }[] =>
  textsIn(PERSONAL[channel], content, at).flatMap(({ path, text }) =>
    fieldsOf(text).map((field) => ({ path, field })),
  );

/** The traits that the personal fields of a message name, once for each of its texts. `user.id` is not a trait. */
export function traitsNamedIn(channel: Channel, content: unknown, at: Path): NamedTrait[] {
  const named = fieldsIn(channel, content, at).filter(({ field }) => field.trait !== "id");
  const places = new Map(
    named.map(({ path, field }) => [JSON.stringify([path, field.trait]), { path, name: field.trait }]),
  );
  return [...places.values()];
}
