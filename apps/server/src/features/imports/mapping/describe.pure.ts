import type { FileFormat, ImportKind, ImportMapping } from "../schema.ts";
import { stepsOf } from "./columns.pure.ts";
import { columnsFor } from "./compiling.pure.ts";
import { EACH_KEY, type FileShape } from "./file-shape.pure.ts";
import type { NamedColumn } from "./fit.pure.ts";
import { columnLike } from "./presets.pure.ts";

/** What a column is for: the name by which a mapping has it, and the beginning of a sentence. */
type Use = { column: string; text: string };

const TYPE_WORDS = {
  text: "a text",
  number: "a number",
  boolean: "true or false",
  time: "a time",
  json: "JSON",
};

const usesOf = (noun: string, named: ImportMapping["traits"]): Use[] =>
  (named === "rest" ? [] : (named ?? [])).map(({ column, as, type }: NamedColumn) => ({
    column,
    text: as === EACH_KEY ? `each key is a ${noun}` : `the ${noun} ${as}, ${TYPE_WORDS[type]}`,
  }));

/** All uses of columns, the main one of a column first. */
function allUses(
  kind: ImportKind,
  mapping: ImportMapping,
  shape: FileShape | null,
  { columns }: FileFormat,
): Use[] {
  const one = (column: string | undefined, text: string): Use[] =>
    column === undefined ? [] : [{ column, text }];
  const elsewhere = (
    mapped: string | undefined,
    names: readonly string[] | undefined,
    text: string,
  ): Use[] =>
    mapped === undefined
      ? []
      : columnsFor(mapped, names, columns)
          .slice(1)
          .map((column) => ({ column, text: `${text}, where ${mapped} is empty` }));
  const suppressed = mapping.suppressed ?? [];
  const reasonsOf = (column: string) =>
    suppressed.filter((rule) => rule.column === column).map(({ reason }) => reason);
  const rules = suppressed.flatMap(({ column, at }) => [
    ...(column === null ? [] : one(column, `says who gets no mail: ${reasonsOf(column).join(", ")}`)),
    ...(at === column ? [] : one(at, "since when an address gets no mail")),
  ]);
  const { line } = shape ?? {};
  const conditions = [
    ...one(line?.emailIf?.column, "says which lines have an address"),
    ...one(line?.skips?.column, "says which lines are passed over"),
  ].map(({ column, text }) => ({ column: columnLike(columns, column) ?? column, text }));
  return [
    ...one(mapping.userId, "the user's id"),
    ...one(mapping.email, kind === "users" ? "the user's address, the trait email" : "the address"),
    ...one(mapping.firstSeenAt, "when the user was first seen"),
    ...elsewhere(mapping.firstSeenAt, shape?.firstSeenAt, "when the user was first seen"),
    ...one(mapping.event, "what the user did"),
    ...one(mapping.ts, "when the user did it"),
    ...elsewhere(mapping.ts, shape?.ts, "when the user did it"),
    ...one(mapping.eventId, "the id of the event"),
    ...rules,
    ...usesOf("property", mapping.props),
    ...usesOf("trait", mapping.traits),
    ...conditions,
  ];
}

/** What becomes of each column of a file, in a phrase for people. */
export function describeColumns(
  kind: ImportKind,
  mapping: ImportMapping,
  shape: FileShape | null,
  format: FileFormat,
): (column: string) => string {
  const names = new Set(format.columns);
  const phrases = new Map<string, Set<string>>();
  for (const { column, text } of allUses(kind, mapping, shape, format)) {
    const [base = column, ...keys] = stepsOf(column, names) ?? [column];
    const phrase = keys.length === 0 ? text : `${keys.join(".")}: ${text}`;
    phrases.set(base, (phrases.get(base) ?? new Set()).add(phrase));
  }
  return (column) => {
    const phrase = [...(phrases.get(column) ?? ["left out"])].join("; ");
    return phrase.charAt(0).toUpperCase() + phrase.slice(1);
  };
}
