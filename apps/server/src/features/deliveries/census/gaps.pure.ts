import { cutAfter } from "@tidings/client/text";
import { type Field, leavesGap, type TemplateUser } from "../../content/template/template.pure.ts";

/** A variant as a census needs it: how many users draw it, and its message as it is stored. */
export type CensusVariant = { id: string; weight: number; content: unknown };

/** The most fields whose gaps are counted: each costs a look at every user. */
export const MAX_COUNTED_FIELDS = 20;

/** How a variant uses a field without a default: as the value is, or through filters alone, which may read lists. Null: not at all. */
type Use = { readsLists: boolean } | null;

/** A personal field that some variant uses without a default: `field` as its template spells it, and its uses by variant. */
export type CountedField = { trait: string; field: string; uses: readonly Use[] };

/** The fields whose gaps are counted, in the order of the messages, and how many more there are. */
export type Gaps = { fields: readonly CountedField[]; uncounted: number };

/** How many of the users who draw a text with a field have nothing to show there. */
export type MissingField = {
  field: string;
  users: number;
  // biome-ignore lint/plugin: the API calls it so.
  of: number;
};

const MAX_SPELLED = 200;

/** The name of a field as its template spells it, without filters. */
const spelledOf = (source: string, trait: string): string =>
  cutAfter(/^user\s*\./.test(source) ? `user.${trait}` : `user[${JSON.stringify(trait)}]`, MAX_SPELLED);

/**
 * The fields that the messages of a campaign use without a default; `fieldsOf` has all fields of each variant. Users of a variant without
 * weight get none of it.
 */
export function gapsOf(
  variants: readonly Pick<CensusVariant, "weight">[],
  fieldsOf: readonly (readonly Field[])[],
): Gaps {
  const found = new Map<string, { trait: string; field: string; uses: Use[] }>();
  for (const [index, { weight }] of variants.entries()) {
    if (weight === 0) continue;
    for (const field of fieldsOf[index] ?? []) {
      // What an event will say is not known before it happens.
      if (field.fallback !== null || field.from === "event") continue;
      const { trait, source, filters } = field;
      const known = found.get(trait) ?? {
        trait,
        field: spelledOf(source, trait),
        uses: variants.map(() => null),
      };
      found.set(trait, known);
      // A list is shown where all of a text's uses read lists.
      const before = known.uses[index];
      known.uses[index] = { readsLists: filters !== null && (before?.readsLists ?? true) };
    }
  }
  const fields = [...found.values()];
  return {
    fields: fields.slice(0, MAX_COUNTED_FIELDS),
    uncounted: Math.max(fields.length - MAX_COUNTED_FIELDS, 0),
  };
}

/** Whether all variants that users draw use the fields alike, so that the draw makes no difference. */
export const isAlike = ({ fields }: Gaps, variants: readonly CensusVariant[]): boolean => {
  const drawn = variants.flatMap(({ weight }, index) => (weight === 0 ? [] : [index]));
  return fields.every(({ uses }) =>
    drawn.every((index) => uses[index]?.readsLists === uses[drawn[0] ?? 0]?.readsLists),
  );
};

/** Users that were counted: how many draw a text with the field, and how many of them have nothing there. By field. */
export type GapCounts = readonly { users: number; all: number }[];

/** Counts gaps of users who are judged one by one. */
export function createGapTally({ fields }: Gaps) {
  const counts = fields.map(() => ({ users: 0, all: 0 }));
  return {
    counts,
    /** Counts a user who draws the variant of an index. */
    add(index: number, person: TemplateUser): void {
      for (const [at, { trait, uses }] of fields.entries()) {
        const use = uses[index];
        const count = counts[at];
        if (!use || count === undefined) continue;
        count.all++;
        if (leavesGap({ from: "user", trait, ...use }, person)) count.users++;
      }
    },
  };
}

/** The fields that some user has nothing for, most users first. */
export const missingFields = ({ fields }: Gaps, counts: GapCounts): MissingField[] =>
  fields
    .map(({ field }, at) => {
      const { users, all } = counts[at] ?? { users: 0, all: 0 };
      // biome-ignore lint/plugin: the API calls it so.
      return { field, users, of: all };
    })
    .filter(({ users }) => users > 0)
    .toSorted((one, other) => other.users - one.users);
