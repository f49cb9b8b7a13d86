import { z } from "zod";
import type { Endpoint } from "../src/platform/http/contract/endpoint.ts";

export type Spec = Endpoint["spec"];

type Fields = Readonly<Record<string, unknown>>;

/** A request of an operation, but for its key. */
export type Sample = {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: Fields;
  file?: Blob;
  headers?: Readonly<Record<string, string>>;
};

/** What a room says of the request of its operation, where it is not the one that is derived. */
export type OwnSample = Omit<Sample, "file" | "headers"> & {
  /** Values of fields in the example of its body, wherever they stand there: ids of what the world has. */
  inExample?: Fields;
};

/** Ids of what operations have made for a request, by what stands before them in a path. */
export type MadeIds = Readonly<Record<string, string>>;

/** Things that requests name. */
type World = { made: MadeIds };

/** The id of nothing. */
const NO_ID = "019b0000-0000-7000-8000-000000000000";

/** Nothing was made, whatever a request names. */
export const NOTHING_MADE: MadeIds = new Proxy({}, { get: () => NO_ID });

/** Which things that were made a function reads, so that they can be. */
export function madeThingsRead<W extends World>(world: W, reads: (world: W) => unknown): Set<string> {
  const names = new Set<string>();
  const made = new Proxy<MadeIds>(NOTHING_MADE, {
    get(ids, name) {
      names.add(String(name));
      return Reflect.get(ids, name);
    },
  });
  reads({ ...world, made });
  return names;
}

/** The names that requests have for what a world has. */
export type Names<W> = {
  /** What the id in a path is of, by what stands before it there: `/goals/{id}`. */
  things: Readonly<Record<string, (world: W) => string>>;
  /** Fields of bodies. */
  fields: Readonly<Record<string, (world: W) => unknown>>;
};

/** JSON Schemas of the fields of a schema that is an object, by name. */
function schemasOf(schema: z.ZodType | undefined): Readonly<Record<string, z.core.JSONSchema.BaseSchema>> {
  if (schema === undefined) return {};
  const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return properties as Record<string, z.core.JSONSchema.BaseSchema>;
}

/** Names of the fields of a schema that is an object. */
export const fieldsOf = (schema: z.ZodType | undefined): string[] => Object.keys(schemasOf(schema));

/** A place in a path where an id stands. `thing` is what stands before it, `list` the path up to there. */
export type PathPlace = { name: string; thing: string; list: string };

/** The places of ids in the path of an operation. What chooses among values that the contract lists is no id, and no number is one. */
export function idsIn(spec: Spec): PathPlace[] {
  const schemas = schemasOf(spec.params);
  return [...spec.path.matchAll(/\/([\w-]+)\/\{(\w+)\}/g)].flatMap(
    ({ 1: thing = "", 2: name = "", index }) =>
      schemas[name]?.enum === undefined && schemas[name]?.type !== "integer"
        ? { name, thing, list: `${spec.path.slice(0, index)}/${thing}` }
        : [],
  );
}

function pathOf<W extends World>(spec: Spec, world: W, { things }: Names<W>, own: OwnSample) {
  const path: Record<string, string> = {};
  for (const [name, schema] of Object.entries(schemasOf(spec.params)))
    if (schema.enum !== undefined) path[name] = String(schema.enum[0]);
  // An id that the room names itself makes nothing else.
  for (const { name, thing } of idsIn(spec))
    if (own.path?.[name] === undefined) path[name] = things[thing]?.(world) ?? world.made[thing] ?? NO_ID;
  return { ...path, ...own.path };
}

/** What stands in where a query leaves something out. */
const defaultsOf = (spec: Spec): Record<string, string> =>
  Object.fromEntries(
    Object.entries(schemasOf(spec.query)).flatMap(([name, schema]) =>
      schema.default === undefined ? [] : [[name, String(schema.default)]],
    ),
  );

/** The example that an operation gives of its body, about things that are there: ids in an example are made up. */
export function exampleOf<W>(
  { example }: Spec,
  world: W,
  { fields }: Names<W>,
  { inExample = {} }: OwnSample,
): Fields | undefined {
  if (typeof example !== "object" || example === null) return undefined;
  return JSON.parse(JSON.stringify(example), (key, value: unknown) => {
    if (Object.hasOwn(inExample, key)) return inExample[key];
    return Object.hasOwn(fields, key) ? fields[key]?.(world) : value;
  });
}

/**
 * A request of an operation that succeeds, as its contract has it: ids of its path by what stands before them, the example of its
 * body, the defaults of its query. What the room says of it goes before.
 */
export function sampleFrom<W extends World>(spec: Spec, world: W, names: Names<W>, own: OwnSample): Sample {
  const path = pathOf(spec, world, names, own);
  const query = { ...defaultsOf(spec), ...own.query };
  const body = own.body ?? exampleOf(spec, world, names, own);
  return {
    ...(Object.keys(path).length > 0 ? { path } : {}),
    ...(Object.keys(query).length > 0 ? { query } : {}),
    ...(body === undefined ? {} : { body }),
  };
}

/** Every text that a schema lists as a value. */
function textsIn(schema: unknown, texts: string[] = []): string[] {
  if (typeof schema !== "object" || schema === null) return texts;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "enum" || key === "const")
      texts.push(...[value].flat().filter((each) => typeof each === "string"));
    textsIn(value, texts);
  }
  return texts;
}

/** Values that differ from one in a single place. */
function* neighboursOf(value: unknown, texts: readonly string[]): Generator<unknown> {
  if (typeof value === "number") yield value + 1;
  if (typeof value === "boolean") yield !value;
  if (typeof value === "string") yield* [`${value}x`, `x${value}`, `${value.slice(0, -1)}0`, ...texts];
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value))
    for (const other of neighboursOf(child, texts))
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
}

/** Another body that the contract allows and that means something else, or undefined where none is found. */
export function anotherBody({ body: schema }: Spec, body: Fields): Fields | undefined {
  if (schema === undefined) return undefined;
  const meaning = (value: unknown): string | null => {
    const { success, data } = schema.safeParse(value);
    return success ? JSON.stringify(data) : null;
  };
  const texts = textsIn(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  const own = meaning(body);
  for (const other of neighboursOf(body, texts)) {
    const its = meaning(other);
    if (its !== null && its !== own) return other as Fields;
  }
  return undefined;
}
