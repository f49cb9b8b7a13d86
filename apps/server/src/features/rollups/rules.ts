/** Keys of one event or user beyond which nothing is noted: nobody filters by the hundredth. */
const MAX_KEYS = 100;
const MAX_KEY_LENGTH = 128;

/** JSON's name for the type of a value. */
const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

/**
 * What an event's props look like: their keys with the type of each, sorted, as compact JSON (`[["amount","number"]]`).
 * Events of one kind have few shapes, so that counting shapes counts properties.
 */
export function shapeOf(props: Readonly<Record<string, unknown>>): string {
  const parts: [string, string][] = [];
  for (const key of Object.keys(props)) {
    if (key.length <= MAX_KEY_LENGTH && parts.length < MAX_KEYS) parts.push([key, typeOf(props[key])]);
  }
  return JSON.stringify(parts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The shape of an event without props. */
export const NO_SHAPE = "[]";
