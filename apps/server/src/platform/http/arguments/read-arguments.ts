import { withoutMark } from "../../text/byte-order-mark.ts";
import { parseJsonText } from "../body/body.ts";
import { ApiError } from "../contract/errors.ts";
import { fieldName } from "../contract/explain-issue.ts";
import type { JsonSchema } from "../openapi/schema.ts";

/** The arguments of a call, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** What a call takes: the JSON Schemas of its arguments, and of the components that they refer to. */
export type ArgumentsShape = {
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
  components: JsonSchema;
};

type Kind = "null" | "object" | "array" | "string" | "number" | "boolean";

/** The words of JSON Schema that shapes are made of. A schema with none of them takes anything. */
type Schema = {
  $ref?: string;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
};

type Steps = readonly (string | number)[];
type Components = ArgumentsShape["components"];
type Fields = Readonly<Record<string, unknown>>;

/** The component that a schema refers to. */
export const componentOf = (reference: string, components: Components): JsonSchema =>
  (components[reference.replace(/^.*\//, "")] ?? {}) as JsonSchema;

function kindOf(value: unknown): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  // What came as JSON is nothing else.
  return typeof value as Kind;
}

/** The schemas of which one has to fit, none of which has alternatives of its own. */
function alternatives(schema: Schema, components: Components): Schema[] {
  if (schema.$ref !== undefined)
    return alternatives(componentOf(schema.$ref, components) as Schema, components);
  const options = schema.anyOf ?? schema.oneOf;
  return options === undefined ? [schema] : options.flatMap((option) => alternatives(option, components));
}

/** The kinds of values that a schema takes; null where it takes any. */
function kindsOf(schema: Schema): readonly Kind[] | null {
  const values = "const" in schema ? [schema.const] : schema.enum;
  if (values !== undefined) return values.map(kindOf);
  if (schema.type === undefined) return schema.properties === undefined ? null : ["object"];
  return [schema.type].flat().map((type) => (type === "integer" ? "number" : (type as Kind)));
}

/** The kinds that any of the schemas takes; null where one takes all. */
function allKinds(schemas: readonly Schema[]): ReadonlySet<Kind> | null {
  const kinds = schemas.map(kindsOf);
  return kinds.includes(null) ? null : new Set(kinds.flatMap((each) => each ?? []));
}

const isAmong = (value: unknown, { const: only, enum: some }: Schema): boolean =>
  only !== undefined ? only === value : some === undefined || some.includes(value);

/** Whether a schema knows what an object has, and wants what that says of its own kind. */
const isMeant = ({ properties = {}, additionalProperties }: Schema, object: Fields): boolean =>
  Object.entries(object).every(([name, value]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) return value === null || additionalProperties !== false;
    return value === null || isAmong(value, property);
  });

/** The schemas that an object is likely meant for; all of those for objects where it fits none. */
function meantFor(schemas: readonly Schema[], object: Fields): readonly Schema[] {
  const ofObjects = schemas.filter((schema) => kindsOf(schema)?.includes("object"));
  const meant = ofObjects.filter((schema) => isMeant(schema, object));
  return meant.length > 0 ? meant : ofObjects;
}

/** The schemas of a field; none where no schema knows it. */
const fieldSchemas = (schemas: readonly Schema[], name: string): Schema[] =>
  schemas.flatMap(({ properties = {}, additionalProperties = {} }) => {
    if (Object.hasOwn(properties, name)) return [properties[name] ?? {}];
    return typeof additionalProperties === "object"
      ? [additionalProperties]
      : additionalProperties
        ? [{}]
        : [];
  });

const isOptional = (schemas: readonly Schema[], name: string): boolean =>
  schemas.every(
    ({ properties = {}, required = [] }) => Object.hasOwn(properties, name) && !required.includes(name),
  );

/** What an argument that has to be an object or a list may be, as refusals say it. */
function wanted(kinds: ReadonlySet<Kind>): string {
  const words = [kinds.has("object") ? "an object" : null, kinds.has("array") ? "a list" : null];
  return words.filter((word) => word !== null).join(" or ");
}

/**
 * The value that a text means where no text is taken. Some clients write objects and lists as JSON, and numbers too.
 * @throws ApiError for a text that is no JSON of an object or a list, where one of these has to be
 */
function fromText(text: string, kinds: ReadonlySet<Kind>, at: string): unknown {
  const isStructure = kinds.has("object") || kinds.has("array");
  if (!isStructure && !/^(-?\d[\d.eE+-]*|true|false|null)$/.test(text)) return text;
  try {
    const value = parseJsonText(withoutMark(text), at);
    if (kinds.has(kindOf(value))) return value;
  } catch (error) {
    // The operation says what it wants instead.
    if (!isStructure) return text;
    const isJson = error instanceof ApiError && error.cause === undefined;
    if (isJson) throw error;
  }
  if (!isStructure) return text;
  throw new ApiError(
    "invalid_request",
    `${at} must be ${wanted(kinds)}: the text that was sent is no JSON of one`,
  );
}

function read(given: unknown, schema: readonly Schema[], steps: Steps, components: Components): unknown {
  const schemas = schema.flatMap((each) => alternatives(each, components));
  const kinds = allKinds(schemas);
  if (kinds === null) return given;
  const value =
    typeof given === "string" && !kinds.has("string")
      ? fromText(given, kinds, fieldName(steps, "arguments"))
      : given;
  if (Array.isArray(value)) {
    const items = schemas.flatMap((each) => (each.items === undefined ? [] : [each.items]));
    if (items.length === 0) return value;
    return value.map((item, index) => read(item, items, [...steps, index], components));
  }
  return typeof value === "object" && value !== null
    ? readFields(value as Fields, meantFor(schemas, value as Fields), steps, components)
    : value;
}

function readFields(
  object: Fields,
  schemas: readonly Schema[],
  steps: Steps,
  components: Components,
): Record<string, unknown> {
  const fields = Object.entries(object).flatMap(([name, value]): [string, unknown][] => {
    const own = fieldSchemas(schemas, name);
    if (own.length === 0) return [[name, value]];
    if (value === null && isOptional(schemas, name)) {
      const kinds = allKinds(own.flatMap((each) => alternatives(each, components)));
      if (kinds !== null && !kinds.has("null")) return [];
    }
    return [[name, read(value, own, [...steps, name], components)]];
  });
  return Object.fromEntries(fields);
}

/**
 * The arguments of a call as they are meant. Where the operation takes an object, a list, a number or a boolean and no text, a text of JSON is
 * read; null for what may be left out is left out, unless null means something there. Both at any depth.
 * @throws ApiError that names the argument whose text is no JSON of what it has to be
 */
export function readArguments(
  { properties, required, components }: ArgumentsShape,
  given: Arguments,
): Arguments {
  // The schemas are those of the document, of which these are the words.
  const schema = { properties, required, additionalProperties: false } as Schema;
  return readFields(given, [schema], [], components);
}
