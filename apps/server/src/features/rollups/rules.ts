/** Longer keys are not noted: an index entry has to hold them. As UTF-8. */
export const MAX_KEY_BYTES = 256;

const isNoted = (key: string): boolean =>
  key.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(key) <= MAX_KEY_BYTES;

/** JSON's name for the type of a value as it is stored: a number too large to be one is written as null. */
const typeOf = (value: unknown): string =>
  value === null || value === Infinity || value === -Infinity
    ? "null"
    : Array.isArray(value)
      ? "array"
      : typeof value;

/**
 * What an event's props look like: their keys with the type of each, sorted, as compact JSON (`[["amount","number"]]`).
 * Events of one kind have few shapes, so that counting shapes counts properties.
 */
export function shapeOf(props: Readonly<Record<string, unknown>>): string {
  const parts: [string, string][] = [];
  for (const key of Object.keys(props)) {
    if (isNoted(key)) parts.push([key, typeOf(props[key])]);
  }
  return JSON.stringify(parts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The shape of an event without props. */
export const NO_SHAPE = "[]";
