/** The texts of a variant that source work may change. */
export const EDIT_FIELDS = [
  "title",
  "body",
  "subject",
  "previewText",
  "cta.label",
  "cta.url",
  "cta.destination.kind",
  "cta.destination.url",
] as const;
export type EditField = (typeof EDIT_FIELDS)[number];

/** A change of one text: `before` stands in it once. It is null where the text was written with the campaign. */
export type Edit = { variantId: string; field: EditField; before: string | null; after: string };

/** Changes of a campaign's texts, as plans write them. A name is replaced as a whole. */
export type TextPatch = {
  name?: { before: string; after: string } | undefined;
  variants?: { id: string; edits: { field: EditField; before: string; after: string }[] }[] | undefined;
};

type Content = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Content =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A text of a message; null where it has none there. */
export function textAt(content: Content, field: EditField): string | null {
  let at: unknown = content;
  for (const name of field.split(".")) at = isObject(at) ? at[name] : undefined;
  return typeof at === "string" ? at : null;
}

/** A message with another text in the place of one that it has. */
export function withText(content: Content, field: EditField, text: string): Record<string, unknown> {
  const write = (at: Content, [name = "", ...rest]: readonly string[]): Record<string, unknown> => ({
    ...at,
    [name]: rest.length === 0 ? text : write(isObject(at[name]) ? at[name] : {}, rest),
  });
  return write(content, field.split("."));
}

/** All texts of a message, as edits that wrote them. */
export const textsOfContent = (variantId: string, content: Content): Edit[] =>
  EDIT_FIELDS.flatMap((field) => {
    const after = textAt(content, field);
    return after === null ? [] : [{ variantId, field, before: null, after }];
  });

/** Where a text stands in another one, or null where it does not stand there exactly once. */
function placeOf(text: string, part: string): number | null {
  const at = text.indexOf(part);
  return part === "" || at < 0 || text.indexOf(part, at + 1) >= 0 ? null : at;
}

type Replacement = { before: string; after: string };

/** A text after some replacements, all of which are about the text as it is; or which of them is at fault. */
export function replaced(
  text: string,
  replacements: readonly Replacement[],
): { text: string } | { at: number; fault: string } {
  const places: { at: number; start: number; before: string; after: string }[] = [];
  for (const [at, { before, after }] of replacements.entries()) {
    const start = placeOf(text, before);
    if (start === null) return { at, fault: "must stand in the text exactly once" };
    places.push({ at, start, before, after });
  }
  places.sort((a, b) => a.start - b.start);
  let done = "";
  let end = 0;
  for (const { at, start, before, after } of places) {
    if (start < end) return { at, fault: "must not overlap with another edit" };
    done += text.slice(end, start) + after;
    end = start + before.length;
  }
  return { text: done + text.slice(end) };
}

/** A campaign as far as its texts go. Ids are those of the API. */
export type CampaignTexts = { name: string; variants: readonly { id: string; content: Content }[] };

/** What a patch makes of a campaign: its new name, and the messages that change; or the field of the patch that is at fault. */
export type Patched =
  | { name: string | null; variants: { id: string; message: Record<string, unknown> }[]; edits: Edit[] }
  | { path: string; fault: string };

/** Applies a patch to the texts of a campaign. */
export function patched(texts: CampaignTexts, { name, variants = [] }: TextPatch): Patched {
  if (name !== undefined && name.before !== texts.name)
    return { path: "name.before", fault: "must be the whole name of the campaign" };
  const changed: { id: string; message: Record<string, unknown> }[] = [];
  const edits: Edit[] = [];
  for (const [index, { id, edits: wanted }] of variants.entries()) {
    const path = `variants[${index}]`;
    const variant = texts.variants.find((each) => each.id === id);
    if (variant === undefined) return { path: `${path}.id`, fault: "must be a variant of the campaign" };
    if (changed.some((each) => each.id === id))
      return { path: `${path}.id`, fault: "must not be given twice" };
    let message: Record<string, unknown> = { ...variant.content };
    for (const field of new Set(wanted.map((each) => each.field))) {
      const own = wanted.flatMap((edit, place) => (edit.field === field ? [{ ...edit, place }] : []));
      const text = textAt(message, field);
      const first = `${path}.edits[${own[0]?.place ?? 0}]`;
      if (text === null) return { path: `${first}.field`, fault: "must be a text that the variant has" };
      const done = replaced(text, own);
      if ("fault" in done)
        return { path: `${path}.edits[${own[done.at]?.place ?? 0}].before`, fault: done.fault };
      message = withText(message, field, done.text);
    }
    changed.push({ id, message });
    edits.push(...wanted.map(({ field, before, after }) => ({ variantId: id, field, before, after })));
  }
  return { name: name?.after ?? null, variants: changed, edits };
}

/** What a contribution wrote. */
export type Written = { edits: readonly Edit[]; nameEdit: { before: string; after: string } | null };

/** The most variants of a patch, and edits of one of them. */
const MOST_VARIANTS = 10;
const MOST_EDITS = 20;

/**
 * A patch that takes back what contributions wrote, newest first, and whether it takes back all of it: a text that was changed since, or
 * that is there twice, stays.
 */
export function undoing(
  texts: CampaignTexts,
  newestFirst: readonly Written[],
): { patch: TextPatch; isExact: boolean } {
  let isExact = true;
  let name: TextPatch["name"];
  const byVariant = new Map<string, { field: EditField; before: string; after: string }[]>();
  const now = new Map(texts.variants.map(({ id, content }) => [id, content]));
  for (const { edits, nameEdit } of newestFirst) {
    if (nameEdit !== null) {
      if (name === undefined && texts.name === nameEdit.after)
        name = { before: nameEdit.after, after: nameEdit.before };
      else isExact = false;
    }
    for (const { variantId, field, before, after } of edits.toReversed()) {
      if (before === null) continue;
      const content = now.get(variantId);
      const text = content === undefined ? null : textAt(content, field);
      const own = byVariant.get(variantId) ?? [];
      const wanted = [...own.filter((each) => each.field === field), { before: after, after: before }];
      const done = text === null ? null : replaced(text, wanted);
      if (done === null || "fault" in done || own.length >= MOST_EDITS) isExact = false;
      else byVariant.set(variantId, [...own, { field, before: after, after: before }]);
    }
  }
  const variants = [...byVariant].map(([id, edits]) => ({ id, edits })).slice(0, MOST_VARIANTS);
  return { patch: { ...(name && { name }), ...(variants.length > 0 && { variants }) }, isExact };
}

/**
 * The texts of a campaign that are not as contributions left them, as `variantId.field`, and `name`. Contributions are in the order in which
 * they were written; a text that none of them wrote is not theirs.
 */
export function editedByOthers(
  texts: CampaignTexts,
  firstName: string | null,
  written: readonly Written[],
): string[] {
  let name = firstName;
  const left = new Map<string, string | null>();
  for (const { edits, nameEdit } of written) {
    if (nameEdit !== null) name = name === nameEdit.before ? nameEdit.after : null;
    // Edits of one contribution are all about the text before it.
    for (const [key, own] of Map.groupBy(edits, ({ variantId, field }) => `${variantId}.${field}`)) {
      const [first] = own;
      if (first?.before === null) left.set(key, first.after);
      else {
        const before = left.get(key) ?? null;
        const done =
          before === null
            ? null
            : replaced(
                before,
                own.map((edit) => ({ ...edit, before: edit.before ?? "" })),
              );
        left.set(key, done === null || "fault" in done ? null : done.text);
      }
    }
  }
  const edited = texts.variants.flatMap(({ id, content }) =>
    textsOfContent(id, content).flatMap(({ field, after }) =>
      left.get(`${id}.${field}`) === after ? [] : [`${id}.${field}`],
    ),
  );
  return name === texts.name ? edited : ["name", ...edited];
}
