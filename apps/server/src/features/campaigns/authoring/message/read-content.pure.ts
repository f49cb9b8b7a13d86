import type { NamedTrait } from "../../../audience/language/parse/diagnose.pure.ts";
import type { Path } from "../../../audience/language/parse/diagnostics.pure.ts";
import { type Body, parseBody } from "../../../content/email/html/markdown.pure.ts";
import type { EmailMessage } from "../../../content/email/message.pure.ts";
import { type Field, parseTemplate, type Template } from "../../../content/template/template.pure.ts";
import type { MessageKind } from "../schema.ts";

/**
 * A place of texts in a message; `*` is each entry of a list. `isPersonal`: they may have personal fields; `isPlain`: they are shown as they
 * are written, which the body of a mail is not, since it is Markdown, nor an address, which is not read.
 */
type Place = { path: Path; isPersonal: boolean; isPlain: boolean };

const read = (...paths: Path[]): Place[] => paths.map((path) => ({ path, isPersonal: true, isPlain: true }));

const MAIL: readonly Place[] = [
  ...read(["subject"], ["previewText"]),
  { path: ["body"], isPersonal: true, isPlain: false },
  ...read(["cta", "label"]),
  { path: ["cta", "url"], isPersonal: true, isPlain: false },
];

const PLACES: Readonly<Record<MessageKind, readonly Place[]>> = {
  web_inapp: [
    ...read(["title"], ["body"], ["cta", "label"]),
    { path: ["media", "alt"], isPersonal: false, isPlain: true },
  ],
  email: MAIL,
  receipt: MAIL,
  push: read(["title"], ["body"], ["ios", "subtitle"], ["actions", "*", "title"]),
};

/** A text of a message with its place; `template` is null where it cannot be parsed, and is taken literally. */
export type ReadText = Omit<Place, "path"> & { path: Path; text: string; template: Template | null };

/** A message and its place in the request; the root where the request has no message. */
export type PlacedContent = { content: unknown; at: Path };

/**
 * A message whose texts are parsed: once, for all that is said of it, since a long body takes tens of milliseconds. `body`: that of a
 * mail; null on another channel, and where it cannot be parsed.
 */
export type ReadContent = PlacedContent & {
  kind: MessageKind;
  texts: readonly ReadText[];
  body: Body | null;
};

/** The texts at a path below a value, each with its exact place. */
function textsAt(value: unknown, [next, ...rest]: Path, at: Path): { path: Path; text: string }[] {
  if (next === undefined) return typeof value === "string" ? [{ path: at, text: value }] : [];
  if (typeof value !== "object" || value === null) return [];
  if (next === "*")
    return Array.isArray(value) ? value.flatMap((entry, index) => textsAt(entry, rest, [...at, index])) : [];
  // A key of an object from JSON.
  return textsAt((value as Record<string, unknown>)[next], rest, [...at, next]);
}

const sound = <Value extends object>(value: Value | { fault: string }): Value | null =>
  "fault" in value ? null : value;

/** Parses the texts of a message that was stored, or is about to be. */
export function readContent(kind: MessageKind, { content, at }: PlacedContent): ReadContent {
  // Contents are checked by the rules of their channel before they are stored.
  const body = kind === "email" ? sound(parseBody((content as EmailMessage).body, "stored")) : null;
  const texts = PLACES[kind].flatMap(({ path: place, isPersonal, isPlain }) =>
    textsAt(content, place, at).map(({ path, text }): ReadText => {
      const isBody = place[0] === "body" && body !== null;
      const template = isBody ? body.template : sound(parseTemplate(text, "stored"));
      return { path, text, template, isPersonal, isPlain };
    }),
  );
  return { kind, content, at, texts, body };
}

/** The personal fields of a message in the order of its texts, each with the place of its text. */
export const personalFields = ({ texts }: Pick<ReadContent, "texts">): { path: Path; field: Field }[] =>
  texts
    .filter(({ isPersonal }) => isPersonal)
    .flatMap(({ path, template }) =>
      (template?.parts ?? []).flatMap((part) => (typeof part === "string" ? [] : [{ path, field: part }])),
    );

/** The traits that the personal fields of a message name, once for each of its texts. `user.id` is not a trait. */
export function traitsNamedIn(message: Pick<ReadContent, "texts">): NamedTrait[] {
  const named = personalFields(message).filter(({ field }) => field.from === "user" && field.trait !== "id");
  const places = new Map(
    named.map(({ path, field }) => [JSON.stringify([path, field.trait]), { path, name: field.trait }]),
  );
  return [...places.values()];
}
