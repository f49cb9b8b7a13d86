import type { Random } from "../crash/random.ts";
import type { ApiDocument, Described, Schema } from "./document.ts";
import type { Draft, Edit } from "./draft.ts";
import { GONE, isObject, nameOf, type Path, setAt, Twice, toJson, valueAt } from "./json.ts";
import { made, shapeFor } from "./made.ts";
import { anything, KEYS, nested, TEXTS } from "./values.ts";

type Place = {
  at: Path;
  schema: Schema /** The whole body, with everything on the way to the place. */;
  body: unknown;
};

/** Any place in a body, those that the sample leaves out too. */
function placeIn(document: ApiDocument, random: Random, body: unknown, schema: unknown): Place {
  let place: Place = { at: [], schema: shapeFor(document, random, schema, body), body };
  for (;;) {
    const { at, schema: shape } = place;
    const value = valueAt(place.body, at);
    const names = Object.keys(shape.properties ?? {});
    const isInside = at.length > 0;
    let key: string | number;
    let child: unknown;
    if (names.length > 0) {
      if (random.chance(isInside ? 0.25 : 0.04)) return place;
      key = random.pick(names) ?? "";
      child = shape.properties?.[key];
    } else if (shape.type === "array" && shape.items !== undefined && random.chance(0.7)) {
      key = random.int(Math.max(1, Array.isArray(value) ? value.length : 0));
      child = shape.items;
    } else return place;
    const next: Path = [...at, key];
    const known = valueAt(place.body, next);
    const filled = known === undefined ? made(document, random, child) : known;
    place = {
      at: next,
      schema: shapeFor(document, random, child, filled),
      body: setAt(place.body, next, filled),
    };
  }
}

const CHARACTERS = ["a", "💥", "e\u0301", "\u202e"];
const around = (bound: number | undefined): number[] =>
  bound === undefined || Math.abs(bound) > 2 ** 53 ? [] : [bound - 1, bound, bound + 1];

/** A value at a bound of its schema, one below or one beyond. */
function atBound(random: Random, schema: Schema, value: unknown): unknown {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, enum: some } = schema;
  if (schema.type === "string" && maxLength !== undefined) {
    const length = random.pick([...around(minLength), ...around(maxLength)].filter((each) => each >= 0)) ?? 0;
    return (random.pick(CHARACTERS) ?? "a").repeat(length);
  }
  if (schema.type === "array" && maxItems !== undefined) {
    const length = random.pick([...around(minItems), ...around(maxItems)].filter((each) => each >= 0)) ?? 0;
    const [item = "a"] = Array.isArray(value) ? value : [];
    return new Array<unknown>(length).fill(item);
  }
  if (minimum !== undefined || maximum !== undefined) {
    const bound = random.pick([...around(minimum), ...around(maximum)]) ?? 0;
    return random.pick<unknown>([bound, bound, bound + 0.5, String(bound)]);
  }
  if (some !== undefined) return random.pick<unknown>([...some, String(some[0]).toUpperCase()]);
  return anything(random);
}

/** What is like the value that stands there, but not quite. */
function nearly(random: Random, value: unknown): unknown {
  if (typeof value === "string") {
    const at = random.int(value.length + 1);
    const text = random.pick(TEXTS) ?? "";
    return random.pick<unknown>([value.slice(0, at) + text + value.slice(at), value.toUpperCase(), [value]]);
  }
  if (typeof value === "number")
    return random.pick<unknown>([String(value), value + 0.5, -value, [value], value + 1]);
  if (Array.isArray(value)) {
    const [first] = value;
    return random.pick<unknown>([
      [],
      [...value, ...value],
      [...value, anything(random)],
      { 0: first },
      first,
    ]);
  }
  if (isObject(value))
    return random.pick<unknown>([[value], {}, Object.entries(value), nested(random, toJson(value))]);
  return String(value);
}

const MANY_KEYS = 20;

/** The same kind of value with less in it. */
function smallerValues(value: unknown): unknown[] {
  if (value instanceof Twice)
    return smallerValues(value.first).map((first) => new Twice(first, value.second));
  if (typeof value === "string") {
    const characters = [...value];
    const [half, less] = [Math.ceil(characters.length / 2), characters.length - 1];
    return characters.length < 2
      ? []
      : [characters.slice(0, half), characters.slice(half), characters.slice(0, less)].map((each) =>
          each.join(""),
        );
  }
  if (Array.isArray(value)) {
    const half = Math.ceil(value.length / 2);
    return value.length === 0
      ? []
      : [value.slice(0, half === value.length ? 0 : half), value.slice(half), value.slice(1)];
  }
  if (!isObject(value)) return [];
  const entries = Object.entries(value);
  if (entries.length > MANY_KEYS) {
    const half = entries.length / 2;
    return [entries.slice(0, half), entries.slice(half)].map((each) => Object.fromEntries(each));
  }
  const without = Object.keys(value).map((key) =>
    Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)),
  );
  const within = Object.entries(value).flatMap(([key, child]) =>
    smallerValues(child).map((each) => ({ ...value, [key]: each })),
  );
  return [...without, ...within].slice(0, 40);
}

/** Puts a value at a place of the body. `filled` brings what the way to the place needs. */
function bodyEdit(at: Path, value: unknown, filled: unknown): Edit {
  const [top] = at;
  return {
    part: "body",
    name: nameOf(at),
    apply(draft) {
      if (top === undefined) return { ...draft, body: value };
      const started = at.length === 1 ? draft.body : setAt(draft.body, [top], valueAt(filled, [top]));
      return { ...draft, body: setAt(started, at, value) };
    },
    smaller: () => smallerValues(value).map((each) => bodyEdit(at, each, filled)),
  };
}

export function drawBodyEdit(document: ApiDocument, random: Random, body: unknown, schema: Schema): Edit {
  const { at, schema: shape, body: filled } = placeIn(document, random, body, schema);
  const value = valueAt(filled, at);
  const set = (next: unknown): Edit => bodyEdit(at, next, filled);
  const roll = random.int(100);
  if (roll < 25) return set(atBound(random, shape, value));
  if (roll < 40) return set(nearly(random, value));
  if (roll < 47) return set(at.length === 0 ? {} : GONE);
  if (roll < 53 && at.length > 0) return set(new Twice(anything(random), value));
  if (roll < 57 && at.length > 0) return set(new Twice(value, anything(random)));
  if (roll < 67) {
    const parent = isObject(value) ? at : [];
    return bodyEdit([...parent, random.pick(KEYS) ?? ""], anything(random), filled);
  }
  if (roll < 71) return set(nested(random, toJson(value)));
  return set(anything(random));
}

/** Percent-encoded text, half characters too, which no encoder makes. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

const SPELLED = [
  "%",
  "%zz",
  "%ff",
  "%ED%A0%80",
  "%00",
  "%C0%80",
  "%2F",
  "%2e%2e",
  "+",
  "%0d%0a",
  "a%00b",
  "%F0%9F%92%A5",
];
/** As long as all headers together may be, and a little less. */
const LONGEST = 6_000;

function spelled(random: Random, schema: Schema): string {
  const roll = random.int(100);
  if (roll < 20) return random.pick(SPELLED) ?? "";
  if (roll < 50) {
    const bound = atBound(random, schema, undefined);
    return encoded(typeof bound === "string" ? bound : toJson(bound))
      .slice(0, LONGEST)
      .replace(/%.?$/, "");
  }
  if (roll < 58) return "a".repeat(random.pick([128, 129, 256, 257, 1_025, LONGEST]) ?? 1);
  if (roll < 66)
    return (
      random.pick(["0", "-1", "1.5", "1e9", "0x10", " 1", "99999999999999999999", "１"].map(encoded)) ?? ""
    );
  return encoded(random.pick(TEXTS) ?? "");
}

const pathEdit = (name: string, value: string): Edit => ({
  part: "path",
  name,
  apply: (draft) => ({ ...draft, path: { ...draft.path, [name]: value } }),
  smaller: () => (value.length > 8 ? [pathEdit(name, value.slice(0, value.length / 2))] : []),
});

/** Several values are the same name several times. */
const queryEdit = (name: string, spelling: string, values: readonly string[]): Edit => ({
  part: "query",
  name,
  apply: (draft) => ({
    ...draft,
    query: [
      ...draft.query.filter(([known]) => known !== name),
      ...values.map((value) => [spelling, value] as const),
    ],
  }),
  smaller: () =>
    values.some((value) => value.length > 8)
      ? [
          queryEdit(
            name,
            spelling,
            values.map((value) => value.slice(0, Math.ceil(value.length / 2))),
          ),
        ]
      : [],
});

const headerEdit = (name: string, values: readonly string[]): Edit => ({
  part: "header",
  name,
  apply: (draft) => ({
    ...draft,
    headers: [
      ...draft.headers.filter(([known]) => known.toLowerCase() !== name.toLowerCase()),
      ...values.map((value) => [name, value] as const),
    ],
  }),
  smaller: () =>
    values.some((value) => value.length > 8)
      ? [
          headerEdit(
            name,
            values.map((value) => value.slice(0, Math.ceil(value.length / 2))),
          ),
        ]
      : [],
});

export const drawPathEdit = (random: Random, names: readonly string[], { parameters }: Described): Edit => {
  const name = random.pick(names) ?? "";
  const schema = parameters.find((each) => each.name === name && each.in === "path")?.schema ?? {};
  // An empty segment is the path of another operation, or of none.
  return pathEdit(name, spelled(random, schema) || "%20");
};

const STRAY_NAMES = [
  "unknown",
  "__proto__",
  "constructor",
  "toString",
  "",
  "page%5B%5D",
  "%F0%9F%92%A5",
  "%00",
  "%",
];

export function drawQueryEdit(random: Random, { parameters }: Described): Edit {
  const known = parameters.filter((each) => each.in === "query");
  const parameter = random.chance(0.85) ? random.pick(known) : undefined;
  if (parameter === undefined) return queryEdit("", random.pick(STRAY_NAMES) ?? "", [spelled(random, {})]);
  const { name, schema } = parameter;
  if (random.chance(0.08)) return queryEdit(name, name, [spelled(random, schema), "1"]);
  if (random.chance(0.04)) return queryEdit(name, `${name}%5B%5D`, ["1"]);
  if (random.chance(0.05)) return queryEdit(name, name, []);
  return queryEdit(name, name, [spelled(random, schema)]);
}

/** Bytes that a header may contain are those of Latin-1. */
const HEADER_VALUES = [
  "",
  " ",
  "a",
  "é",
  "\u00ff\u0080",
  "a,b",
  '"',
  "k".repeat(128),
  "k".repeat(129),
  "k".repeat(5_000),
];

const STRAY_HEADERS: readonly (readonly [string, readonly string[]])[] = [
  [
    "content-type",
    ["application/json; charset=utf-8", "APPLICATION/JSON", "application/json; charset=utf-16"],
  ],
  [
    "content-type",
    ["text/plain", "application/json, text/plain", "application/json;", "multipart/form-data", ""],
  ],
  [
    "content-type",
    ["application/vnd.api+json", "application/jsonp", "multipart/form-data; boundary=", "/", ";"],
  ],
  ["content-encoding", ["gzip", "identity", "nonsense"]],
  ["accept", ["text/html", "", "nonsense/*;q=2"]],
  ["accept-encoding", ["gzip", "*;q=0"]],
  [
    "authorization",
    ["Bearer", "Bearer ", "bearer x", "Basic YTpi", "Bearer é", `Bearer ${"A".repeat(5_000)}`, ""],
  ],
  ["origin", ["null", "https://évil.example", ""]],
  ["range", ["bytes=0-1"]],
  ["if-none-match", ["*"]],
  ["x-http-method-override", ["DELETE"]],
  ["x-forwarded-for", ["127.0.0.1", "é"]],
  ["x-forwarded-host", ["evil.example"]],
  ["host", ["évil.example", "a:b:c", "x".repeat(300)]],
  ["x-request-id", ["mine", "é"]],
  ["cookie", ["a=b; c", "é=1"]],
  ["accept-version", ["1.0.0"]],
];

export function drawHeaderEdit(random: Random, { parameters }: Described): Edit {
  const known = random.pick(parameters.filter((each) => each.in === "header"));
  if (known !== undefined && random.chance(0.7)) {
    const value = random.pick(HEADER_VALUES) ?? "";
    return headerEdit(known.name, random.chance(0.15) ? [value, "b"] : random.chance(0.1) ? [] : [value]);
  }
  const [name = "", values = []] = random.pick(STRAY_HEADERS) ?? [];
  return headerEdit(name, [random.pick(values) ?? ""]);
}

const payloadEdit = (bytes: Buffer): Edit => ({
  part: "payload",
  name: "",
  apply: (draft: Draft) => ({ ...draft, bytes }),
  smaller: () => (bytes.length > 8 ? [payloadEdit(bytes.subarray(0, bytes.length / 2))] : []),
});

/** Bytes that are not the text of any JSON value, or are it in an odd way. */
export function drawPayloadEdit(random: Random, json: string): Edit {
  const bytes = Buffer.from(json);
  const at = random.int(bytes.length + 1);
  return payloadEdit(
    random.pick([
      Buffer.alloc(0),
      bytes.subarray(0, at),
      Buffer.concat([bytes, Buffer.from(" x")]),
      Buffer.concat([Buffer.from("\ufeff"), bytes]),
      Buffer.from(json, "utf16le"),
      Buffer.concat([bytes.subarray(0, at), Buffer.from([random.int(256)]), bytes.subarray(at)]),
      Buffer.from(`[${json}]`),
      Buffer.from(json.padEnd(9_000)),
      Buffer.from(json.padEnd(70_000)),
      Buffer.from('"'.repeat(50)),
      Buffer.from("[".repeat(5_000)),
    ]) ?? bytes,
  );
}
