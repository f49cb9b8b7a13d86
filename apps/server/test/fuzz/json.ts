/** JSON with what a value of JavaScript cannot say: keys twice, numbers beyond any double, escapes of half a character. */

/** Text that stands in the JSON as it is. */
export class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The values of one key that comes twice. */
export class Twice {
  readonly first: unknown;
  readonly second: unknown;

  constructor(first: unknown, second: unknown) {
    this.first = first;
    this.second = second;
  }
}

/** In the place of a value: its key is left out. */
export const GONE = Symbol("gone");

export type Path = readonly (string | number)[];

type Entries = Record<string, unknown>;

export const isObject = (value: unknown): value is Entries =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Raw) &&
  !(value instanceof Twice);

/** As JSON text. Nests without recursion in the engine's own writer, so that Raw may stand anywhere. */
export function toJson(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(toJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).flatMap(([key, child]) => {
    if (child === GONE || child === undefined) return [];
    const name = JSON.stringify(key);
    const values = child instanceof Twice ? [child.first, child.second] : [child];
    return values.map((each) => `${name}:${toJson(each)}`);
  });
  return `{${entries.join(",")}}`;
}

/** An object with one own key more, whatever its name: `__proto__` is a key like another. */
function withKey(object: Entries, key: string, value: unknown): Entries {
  const copy = { ...object };
  Object.defineProperty(copy, key, { value, enumerable: true, writable: true, configurable: true });
  return copy;
}

/** A copy with this value at this place; what is on the way there is made where it is missing. */
export function setAt(root: unknown, at: Path, value: unknown): unknown {
  const [head, ...rest] = at;
  if (head === undefined) return value;
  if (typeof head === "number") {
    const list: unknown[] = Array.isArray(root) ? [...root] : [];
    list[head] = setAt(list[head], rest, value);
    return list;
  }
  const object = isObject(root) ? root : {};
  return withKey(object, head, setAt(Object.hasOwn(object, head) ? object[head] : undefined, rest, value));
}

/** The value at a place, or undefined. */
export function valueAt(root: unknown, at: Path): unknown {
  return at.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isObject(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined;
  }, root);
}

/** `variants[0].name`, as refusals name a field. */
export const nameOf = (at: Path): string =>
  at
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
