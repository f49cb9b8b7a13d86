import type { ColumnMapping, FileLook, ImportKind, ReadingOptions } from "./rules.ts";

/** A column that becomes a trait of a user, or a property of an event. */
type NamedColumn = Exclude<NonNullable<ColumnMapping["traits"]>, "rest">[number];
export type CellType = NamedColumn["type"];
export const CELL_TYPES = [
  "text",
  "number",
  "boolean",
  "time",
  "json",
] as const satisfies readonly CellType[];
/** A rule that says which lines are about an address that gets no mail. */
export type StopRule = NonNullable<ColumnMapping["suppressed"]>[number];

/** What a single column of a file says. */
const SINGLE = ["userId", "email", "firstSeenAt", "event", "ts", "eventId"] as const;
const LISTS = ["traits", "props"] as const;
/** What a column is called whose cells are objects, where each key of them stands by itself. */
const EACH_KEY = "*";

/** What becomes of a column. `traits` and `props` are one of these each, `eachTrait` and `eachProp` one for each key of its cells. */
export type MeaningName =
  | (typeof SINGLE)[number]
  | (typeof LISTS)[number]
  | "eachTrait"
  | "eachProp"
  | "leftOut";
export type Meaning = { is: MeaningName; as: string; type: CellType };

/** What columns of a file may become, by what the file is about. */
export const MEANINGS: Readonly<Record<ImportKind, readonly MeaningName[]>> = {
  users: ["userId", "email", "firstSeenAt", "traits", "eachTrait", "leftOut"],
  events: [
    "userId",
    "email",
    "event",
    "ts",
    "eventId",
    "props",
    "eachProp",
    "traits",
    "eachTrait",
    "leftOut",
  ],
  suppressions: ["email", "leftOut"],
};

const listIn = (mapping: ColumnMapping, list: (typeof LISTS)[number]): readonly NamedColumn[] => {
  const named = mapping[list] ?? [];
  return named === "rest" ? [] : named;
};

const columnsOfRules = ({ suppressed = [] }: ColumnMapping): string[] =>
  suppressed.flatMap(({ column, at }) => [
    ...(column === null ? [] : [column]),
    ...(at === undefined ? [] : [at]),
  ]);

/** The columns that a mapping names. */
const namedIn = (mapping: ColumnMapping): Set<string> =>
  new Set([
    ...SINGLE.flatMap((field) => mapping[field] ?? []),
    ...LISTS.flatMap((list) => listIn(mapping, list).map(({ column }) => column)),
    ...columnsOfRules(mapping),
  ]);

/** The names of all columns that can be shown: those of the file, and those within others that the mapping names, as `a.b`. */
export const columnNames = (columns: FileLook["columns"], mapping: ColumnMapping): string[] => [
  ...new Set([...columns.map(({ name }) => name), ...namedIn(mapping)]),
];

/** What becomes of a column. A column that says several things is shown with the first of them. */
export function meaningOf(mapping: ColumnMapping, column: string): Meaning {
  const single = SINGLE.find((field) => mapping[field] === column);
  if (single !== undefined) return { is: single, as: column, type: "text" };
  for (const list of LISTS) {
    const named = listIn(mapping, list).find((each) => each.column === column);
    if (named === undefined) continue;
    if (named.as === EACH_KEY)
      return { is: list === "traits" ? "eachTrait" : "eachProp", as: column, type: "json" };
    return { is: list, as: named.as, type: named.type };
  }
  return { is: "leftOut", as: column, type: "text" };
}

/** Whether a phrase about a column says that it does not come along. */
export const isGuessedOut = (guess: string): boolean => /^left out\b/i.test(guess);

/** The same mapping with every column written out that `rest` stands for, so that single ones can be changed. */
export function withoutRest(mapping: ColumnMapping, columns: FileLook["columns"]): ColumnMapping {
  const named = namedIn(mapping);
  const rest = columns
    .filter(({ name, guess }) => !named.has(name) && !isGuessedOut(guess))
    .map(({ name }): NamedColumn => ({ column: name, as: name, type: "text" }));
  return {
    ...mapping,
    ...(mapping.traits === "rest" && { traits: rest }),
    ...(mapping.props === "rest" && { props: rest }),
  };
}

const LIST_OF: Partial<Record<MeaningName, (typeof LISTS)[number]>> = {
  traits: "traits",
  eachTrait: "traits",
  props: "props",
  eachProp: "props",
};

/** A list of columns with another one in place of its former entry, or at its end. */
function withNamed(list: readonly NamedColumn[], named: NamedColumn): NamedColumn[] {
  const isThere = list.some(({ column }) => column === named.column);
  return isThere ? list.map((each) => (each.column === named.column ? named : each)) : [...list, named];
}

/** A mapping in which a column means something else. What only one column can be is taken away from the one that was it. */
export function withMeaning(
  mapping: ColumnMapping,
  column: string,
  { is, as, type }: Meaning,
): ColumnMapping {
  const next: ColumnMapping = { ...mapping };
  for (const field of SINGLE) if (next[field] === column) delete next[field];
  const target = LIST_OF[is];
  for (const list of LISTS)
    if (list !== target && next[list] !== undefined && next[list] !== "rest")
      next[list] = listIn(next, list).filter((each) => each.column !== column);
  if (target !== undefined) {
    const isEach = is === "eachTrait" || is === "eachProp";
    const named: NamedColumn = isEach ? { column, as: EACH_KEY, type: "json" } : { column, as, type };
    return { ...next, [target]: withNamed(listIn(next, target), named) };
  }
  if (is === "leftOut") return next;
  return { ...next, [is]: column };
}

/** What keeps a file from being read as it is; `name` is what is there twice. */
type Lack =
  | { lacks: "event" | "ts" | "userId" | "email" | "stops" | "name" | "ruleColumn" | "ruleTexts" }
  | { lacks: "twice"; name: string };

function namesLack(mapping: ColumnMapping): Lack | null {
  for (const list of LISTS) {
    const names = listIn(mapping, list)
      .map(({ as }) => as)
      .filter((as) => as !== EACH_KEY);
    if (names.some((name) => name.trim() === "")) return { lacks: "name" };
    const known = list === "traits" && mapping.email !== undefined ? ["email", ...names] : names;
    const twice = known.find((name, index) => known.indexOf(name) < index);
    if (twice !== undefined) return { lacks: "twice", name: twice };
  }
  return null;
}

function rulesLack({ suppressed = [] }: ColumnMapping): Lack | null {
  if (suppressed.some(({ column, when }) => when !== "always" && (column ?? "") === ""))
    return { lacks: "ruleColumn" };
  const isEmpty = ({ when }: StopRule): boolean =>
    Array.isArray(when) && when.every((text) => text.trim() === "");
  return suppressed.some(isEmpty) ? { lacks: "ruleTexts" } : null;
}

/** The first thing that is missing before a file can be read; null where nothing is. */
export function lackOf(
  kind: ImportKind,
  mapping: ColumnMapping,
  { id = "column" }: ReadingOptions,
): Lack | null {
  if (kind === "events" && mapping.event === undefined) return { lacks: "event" };
  if (kind === "events" && mapping.ts === undefined) return { lacks: "ts" };
  if (kind !== "suppressions" && id === "column" && mapping.userId === undefined) return { lacks: "userId" };
  if ((kind === "suppressions" || id !== "column") && mapping.email === undefined) return { lacks: "email" };
  if (kind === "suppressions" && (mapping.suppressed ?? []).length === 0) return { lacks: "stops" };
  return namesLack(mapping) ?? rulesLack(mapping);
}

/** Whether a file of users brings addresses: an object whose keys become traits may have one. */
const bringsAddresses = ({ email, traits = [] }: ColumnMapping): boolean =>
  email !== undefined || traits === "rest" || traits.some(({ as }) => as === "email" || as === EACH_KEY);

/**
 * Whether a person has to say where those are who get no mail, because the file brings addresses and does not say it.
 * @param isNeeded whether the server said so of its guess: a tool may write a file that does not name all of them, whatever its columns say
 */
export function needsLeft(
  kind: ImportKind,
  mapping: ColumnMapping,
  isNeeded: boolean,
  guessed: ColumnMapping,
): boolean {
  if (kind !== "users" || !bringsAddresses(mapping)) return false;
  const isNeverAll = isNeeded && (guessed.suppressed ?? []).length > 0;
  return isNeverAll || (mapping.suppressed ?? []).length === 0;
}

const sorted = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** Whether two values are the same, in whatever order their keys stand. */
export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
