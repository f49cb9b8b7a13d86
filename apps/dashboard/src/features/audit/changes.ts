import type { Answer } from "@tidings/client";
import { words } from "./words.ts";

export type Entry = Answer<"listAuditEntries">["entries"][number];

/** The names of projects by id. */
export type Names = ReadonlyMap<string, string>;

/** A value of a change as a person reads it, with the names of projects in place of their ids. */
function shown(value: unknown, names: Names): string {
  if (value === null || value === undefined) return words.none;
  if (typeof value === "string") return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => shown(each, names)).join(", ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(
      ([name, each]) =>
        `${words.names[name] ?? name}: ${name === "projectIds" && each === null ? words.all : shown(each, names)}`,
    )
    .join(" · ");
}

/** What an entry says of the change: both sides where the operation named them, else the fields that were sent. */
export function changeOf({ before, after, fields }: Entry, names: Names): string | null {
  if (before !== null && after !== null) return `${shown(before, names)} → ${shown(after, names)}`;
  if (after !== null) return shown(after, names);
  if (before !== null) return words.was(shown(before, names));
  return fields.length === 0 ? null : words.fields(fields.join(", "));
}

/** Whose or what thing was changed; nothing where it is the person who changed it. */
export const targetOf = ({ target, by }: Entry): string | null => (target === by.id ? null : target);
