/** What the traits of a call, or the properties of an event, may take as compact JSON (UTF-8), as everywhere in the API. */
const MOST_BYTES = 4_096;
/** How many names of what was left out are kept, and how much of each. */
const MOST_NAMED = 10;
const MOST_NAME = 40;

export type Fields = Readonly<Record<string, unknown>>;

/** An object that fits, with its compact JSON, and the names of what was left out of it because it was too large. */
export type Fitted = { fields: Fields; json: string; trimmed: readonly string[] };

/** Keys of an object that are looked at. More than these never fit; a body may have hundreds of thousands, and other requests wait meanwhile. */
const MOST_KEYS = 1_000;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const withJson = (fields: Fields, trimmed: readonly string[]): Fitted => ({
  fields,
  json: JSON.stringify(fields),
  trimmed,
});

const cut = (name: string): string => [...name.slice(0, 2 * MOST_NAME)].slice(0, MOST_NAME).join("");

/**
 * Leaves out keys of an object until it fits, the same ones each time it comes: those after the first thousand, then the largest.
 * @param listedAs the key under which the names of what was left out stand in the object; null for none. What the object itself has there
 * is left out first
 * @param mostBytes what it may take as compact JSON
 */
export function fitted(fields: Fields, listedAs: string | null, mostBytes = MOST_BYTES): Fitted {
  const all = Object.keys(fields);
  if (all.length <= MOST_KEYS) {
    const json = JSON.stringify(fields);
    // A unit of the text takes at most three bytes.
    if (json.length * 3 <= mostBytes || Buffer.byteLength(json) <= mostBytes)
      return { fields, json, trimmed: [] };
  }
  const names = all.slice(0, MOST_KEYS).filter((name) => fields[name] !== undefined && name !== listedAs);
  const sizes = names
    .map((name) => ({ name, bytes: bytesOf(name) + bytesOf(fields[name]) + 2 }))
    .sort((one, other) => other.bytes - one.bytes);
  const trimmed = all.slice(MOST_KEYS).filter((name) => name !== listedAs);
  if (listedAs !== null && listedAs in fields) trimmed.unshift(listedAs);
  const marked = (): Fields =>
    listedAs === null ? {} : { [listedAs]: trimmed.slice(0, MOST_NAMED).map(cut) };
  let left = sizes.reduce((sum, { bytes }) => sum + bytes, 2);
  let first = 0;
  while (first < sizes.length && left + bytesOf(marked()) > mostBytes) {
    const { name, bytes } = sizes[first++] as (typeof sizes)[number];
    left -= bytes;
    trimmed.push(name);
  }
  const kept = new Set(sizes.slice(first).map(({ name }) => name));
  // In their order.
  const entries = names.filter((name) => kept.has(name));
  return withJson(
    { ...Object.fromEntries(entries.map((name) => [name, fields[name]])), ...marked() },
    trimmed,
  );
}

/** What of a group is a trait of its own beside `group`, because audiences compare whole traits. */
const OF_GROUP = ["name", "plan"] as const;
const MOST_OF_GROUP = 256;

/** The traits `group_name` and `group_plan`; null, which takes them away, where a group has none: the one before may have had some. */
function shownOfGroup(traits: Fields): Fields {
  const shown = OF_GROUP.map((name) => {
    const value = traits[name];
    const isPlain = ["string", "number", "boolean"].includes(typeof value);
    return [`group_${name}`, isPlain && bytesOf(value) <= MOST_OF_GROUP ? value : null] as const;
  });
  return Object.fromEntries(shown);
}

/** The traits of a user in a group: `group` with its id and its traits, of which the largest are left out until all fits, and some of them apart. */
export function fittedGroup(id: string, traits: Fields): Fitted {
  const { id: _, ...others } = traits;
  const apart = { group_id: id, ...shownOfGroup(traits) };
  const { fields, trimmed } = fitted(others, null, MOST_BYTES - bytesOf({ group: { id }, ...apart }));
  return withJson({ group: { id, ...fields }, ...apart }, trimmed);
}

const hasGap = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && Object.values(value).some(hasGap));

/** Names of what has a number that could not be kept, in whose place the body has `undefined`, among the keys that are looked at. */
export const gapsOf = (fields: Fields): string[] =>
  Object.keys(fields)
    .slice(0, MOST_KEYS)
    .filter((name) => hasGap(fields[name]));

/** Fields without those in whose place the body has `undefined`, which JSON does not write either. */
export const withoutGaps = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
