import type { Answer } from "@tidings/client";
import { words } from "./words.ts";

export type AuditEntry = Answer<"listAuditEntries">["entries"][number];
export type NamedThing = Answer<"listAuditEntries">["named"][number];

/** The names of projects and of other things by their ids. */
export type AuditNames = ReadonlyMap<string, string>;

/** How values are read: the names of things, and what stands for no value. */
type Reading = { names: AuditNames; nothing: string };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a field of a value is called, whose name may be the customer's own. */
const innerNameOf = (name: string): string => words.names[name] ?? name;

/** A value of a change as a person reads it, with names in place of ids. */
function shown(value: unknown, reading: Reading, called = innerNameOf): string {
  if (value === null || value === undefined) return reading.nothing;
  if (typeof value === "string") return reading.names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => shown(each, reading)).join(", ");
  if (!isRecord(value)) return String(value);
  return Object.entries(value)
    .map(([name, each]) => `${called(name)}: ${field(name, each, reading)}`)
    .join(" · ");
}

/** What a field of a request is called: its own name in words, where there is no better one. Settings keep their keys, which have a point. */
const nameOf = (name: string): string =>
  words.names[name] ??
  (name.includes(".") ? name : name.replaceAll(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`));

const field = (name: string, value: unknown, reading: Reading): string =>
  name === "projectIds" && value === null ? words.all : shown(value, reading);

/** Both sides of a change: field by field where they have the same ones. */
function bothSides(before: unknown, after: unknown, reading: Reading): string {
  const fields = isRecord(before) ? Object.keys(before) : [];
  if (!isRecord(before) || !isRecord(after) || fields.join() !== Object.keys(after).join())
    return `${shown(before, reading, nameOf)} → ${shown(after, reading, nameOf)}`;
  return fields
    .map(
      (name) =>
        `${nameOf(name)}: ${field(name, before[name], reading)} → ${field(name, after[name], reading)}`,
    )
    .join(" · ");
}

/** What an entry says of the change: both sides where the operation named them, else the fields that were sent. */
export function describeChange(
  { operation, before, after, fields }: AuditEntry,
  names: AuditNames,
): string | null {
  const nothing = operation === "changePeopleSettings" ? words.byDefault : words.none;
  const reading = { names, nothing };
  if (before !== null && after !== null) return bothSides(before, after, reading) || null;
  if (after !== null) return shown(after, reading, nameOf);
  if (before !== null) return words.was(shown(before, reading, nameOf));
  return fields.length === 0 ? null : words.fields(fields.map(nameOf).join(", "));
}

/** What was changed, as people call it; where there is a page of it, the path of that within its project. */
export type Target = { text: string; path: string | null; search?: Readonly<Record<string, string>> };

/** The pages of things, by their kind. */
const PAGES: Readonly<Record<NamedThing["kind"], (thing: NamedThing) => Omit<Target, "text">>> = {
  campaign: ({ id }) => ({ path: `campaigns/${id}` }),
  goal: ({ id }) => ({ path: `goals/${id}` }),
  segment: ({ id }) => ({ path: `segments/${id}` }),
  topic: () => ({ path: "topics" }),
  journey: ({ id }) => ({ path: `journeys/${id}` }),
  proposal: ({ id }) => ({ path: `approvals/${id}` }),
  source: ({ id }) => ({ path: `sources/${encodeURIComponent(id)}` }),
  address: ({ name }) => ({ path: "email", search: { view: "suppressions", q: name } }),
  person: () => ({ path: "people" }),
};

const KEY_OPERATIONS: readonly string[] = ["createKey", "rotateKey", "revokeKey"];

/** What of a thing stands in the log: of a person the address as well, since people share names. */
const calledAs = ({ kind, id, name }: NamedThing): string => (kind === "person" ? `${name}, ${id}` : name);

/**
 * Whose or what thing was changed; nothing where it is the person who changed it. What is not there any more is called by its id, and
 * leads nowhere.
 */
export function targetOf(
  { target, by, projectId, operation }: AuditEntry,
  names: AuditNames,
  named: readonly NamedThing[],
): Target | null {
  if (target === null || target === by.id) return null;
  const kind = words.keyKinds[target];
  if (KEY_OPERATIONS.includes(operation) && kind !== undefined) return { text: kind, path: "keys" };
  const thing = named.find((each) => each.id === target && (each.projectId ?? projectId) === projectId);
  return thing === undefined
    ? { text: names.get(target) ?? target, path: null }
    : { text: calledAs(thing), ...PAGES[thing.kind](thing) };
}
