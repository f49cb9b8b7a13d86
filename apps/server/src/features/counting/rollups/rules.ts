/** In bytes of UTF-8. Longer keys are not counted: a key has to fit into an index entry. */
export const MAX_KEY_BYTES = 256;

/**
 * Of an event with more keys, only the first ones by UTF-8 bytes are counted. A constant and no setting: when the event is erased, the
 * same keys have to be found again.
 */
export const MAX_COUNTED_KEYS = 50;

const isCounted = (key: string): boolean =>
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
  if (!parts.some(([key]) => BEYOND_ORDER.test(key))) return parts.toSorted(byKey).slice(0, MAX_COUNTED_KEYS);
  // Each key is encoded once: a batch may bring a hundred thousand of them.
  const encoded = parts.map((part) => ({ part, bytes: Buffer.from(part[0]) }));
  encoded.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  return encoded.slice(0, MAX_COUNTED_KEYS).map(({ part }) => part);
}

/**
 * What an event's props look like: their keys with the type of each, sorted, as compact JSON (`[["amount","number"]]`).
 * Events of one kind have few shapes, so that counting shapes counts properties.
 */
export function shapeOf(props: Readonly<Record<string, unknown>>): string {
  const parts: [string, string][] = [];
  for (const key of Object.keys(props)) {
    if (isCounted(key)) parts.push([key, typeOf(props[key])]);
  }
  const counted = parts.length > MAX_COUNTED_KEYS ? firstByBytes(parts) : parts;
  return JSON.stringify(counted.sort(byKey));
}

/** The shape of an event without props. */
export const NO_SHAPE = "[]";

/** The name under which event names beyond the project's ceiling are counted together: no event has an empty name. */
export const OTHER_NAME = "";

/** The type under which keys beyond the ceiling are counted together, with the key "": no JSON value has it. */
export const OTHER_TYPE = "other";
