/** Longer keys are not noted: an index entry has to hold them. As UTF-8. */
export const MAX_KEY_BYTES = 256;

/**
 * Of an event with more keys, the first ones by UTF-8 bytes are noted. Not a setting of the server: what was noted of an event has to
 * be found again when the event is erased.
 */
export const MAX_NOTED_KEYS = 50;

const isNoted = (key: string): boolean =>
  key.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(key) <= MAX_KEY_BYTES;

/** JSON's name for the type of a value as it is stored: a number too large to be one is written as null. */
const typeOf = (value: unknown): string =>
  value === null || value === Infinity || value === -Infinity
    ? "null"
    : Array.isArray(value)
      ? "array"
      : typeof value;

/** Code units from which on JavaScript's order of strings is not that of their UTF-8 bytes. */
const BEYOND_ORDER = /[\ud800-\uffff]/;

const byKey = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1);

/** The first keys in the order of their bytes, as PostgreSQL's collation "C" has it. */
function firstByBytes(parts: readonly [string, string][]): [string, string][] {
  if (!parts.some(([key]) => BEYOND_ORDER.test(key))) return parts.toSorted(byKey).slice(0, MAX_NOTED_KEYS);
  // Each key is encoded once: a batch may bring a hundred thousand of them.
  const encoded = parts.map((part) => ({ part, bytes: Buffer.from(part[0]) }));
  encoded.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  return encoded.slice(0, MAX_NOTED_KEYS).map(({ part }) => part);
}

/**
 * What an event's props look like: their keys with the type of each, sorted, as compact JSON (`[["amount","number"]]`).
 * Events of one kind have few shapes, so that counting shapes counts properties.
 */
export function shapeOf(props: Readonly<Record<string, unknown>>): string {
  const parts: [string, string][] = [];
  for (const key of Object.keys(props)) {
    if (isNoted(key)) parts.push([key, typeOf(props[key])]);
  }
  const noted = parts.length > MAX_NOTED_KEYS ? firstByBytes(parts) : parts;
  return JSON.stringify(noted.sort(byKey));
}

/** The shape of an event without props. */
export const NO_SHAPE = "[]";

/** Under what a project's further event names are counted together: no event has an empty name. */
export const OTHER_NAME = "";

/** The type under which further keys are counted together, with the key "": no JSON value is of it. */
export const OTHER_TYPE = "other";
