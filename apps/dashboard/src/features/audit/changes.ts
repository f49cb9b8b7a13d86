import type { Answer } from "@tidings/client";
import { words } from "./words.ts";

export type Entry = Answer<"listAuditEntries">["entries"][number];

/** The names of projects by id. */
export type Names = ReadonlyMap<string, string>;

/** How values are read: the names of projects, and what stands for no value. */
type Reading = { names: Names; nothing: string };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value of a change as a person reads it, with the names of projects in place of their ids. */
function shown(value: unknown, reading: Reading): string {
  if (value === null || value === undefined) return reading.nothing;
  if (typeof value === "string") return reading.names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => shown(each, reading)).join(", ");
  if (!isRecord(value)) return String(value);
  return Object.entries(value)
    .map(([name, each]) => `${nameOf(name)}: ${field(name, each, reading)}`)
    .join(" · ");
}

const nameOf = (name: string): string => words.names[name] ?? name;

const field = (name: string, value: unknown, reading: Reading): string =>
  name === "projectIds" && value === null ? words.all : shown(value, reading);

/** Both sides of a change: field by field where they have the same ones. */
function bothSides(before: unknown, after: unknown, reading: Reading): string {
  const fields = isRecord(before) ? Object.keys(before) : [];
  if (!isRecord(before) || !isRecord(after) || fields.join() !== Object.keys(after).join())
    return `${shown(before, reading)} → ${shown(after, reading)}`;
  return fields
    .map(
      (name) =>
        `${nameOf(name)}: ${field(name, before[name], reading)} → ${field(name, after[name], reading)}`,
    )
    .join(" · ");
}

/** What an entry says of the change: both sides where the operation named them, else the fields that were sent. */
export function changeOf({ operation, before, after, fields }: Entry, names: Names): string | null {
  const nothing = operation === "changePeopleSettings" ? words.byDefault : words.none;
  const reading = { names, nothing };
  if (before !== null && after !== null) return bothSides(before, after, reading) || null;
  if (after !== null) return shown(after, reading);
  if (before !== null) return words.was(shown(before, reading));
  return fields.length === 0 ? null : words.fields(fields.join(", "));
}

/** Whose or what thing was changed, with the name of a project; nothing where it is the person who changed it. */
export const targetOf = ({ target, by }: Entry, names: Names): string | null =>
  target === null || target === by.id ? null : (names.get(target) ?? target);
