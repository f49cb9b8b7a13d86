import { z } from "zod";
import { shapesOf } from "../contract/fields.ts";

export type JsonSchema = Record<string, unknown>;
export type SchemaDirection = "input" | "output";

/** Larger integers get a format: generators of clients take a plain `integer` for 32 bits. */
const MAX_INT32 = 2 ** 31 - 1;

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A shape as part of another one: a reference if it has an id. */
const reference = (shape: z.ZodType, io: SchemaDirection, components: JsonSchema): JsonSchema =>
  (toSchema(z.object({ shape }), io, components).properties as { shape: JsonSchema }).shape;

function rewritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewritten);
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([key, child]) => child !== undefined && (key !== "id" || typeof child !== "string"))
    .map(([key, child]) => [
      key,
      key === "$ref" && typeof child === "string"
        ? child.replace("#/$defs/", "#/components/schemas/")
        : rewritten(child),
    ]);
  const made: JsonSchema = Object.fromEntries(entries);
  if (made.type === "integer" && Number(made.maximum ?? MAX_INT32) > MAX_INT32) made.format = "int64";
  return made;
}

/** The JSON Schema of a schema. Schemas with an id become components and are referred to. */
export function toSchema(schema: z.ZodType, io: SchemaDirection, components: JsonSchema): JsonSchema {
  const made = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    unrepresentable: "any",
    reused: "inline",
    override({ zodSchema, jsonSchema }) {
      const shapes = shapesOf(zodSchema);
      if (shapes !== undefined) {
        delete jsonSchema.type;
        delete jsonSchema.propertyNames;
        delete jsonSchema.additionalProperties;
        const [only, ...more] = shapes.map((shape) => reference(shape, io, components));
        Object.assign(jsonSchema, more.length === 0 ? only : { anyOf: [only, ...more] });
      }
      const { def } = zodSchema._zod;
      // A default that stands before a transformation is left out otherwise.
      if (def.type === "default" && io === "input") jsonSchema.default ??= def.defaultValue as JsonSchema;
    },
  }) as JsonSchema;
  const { $schema: _, $defs, ...rest } = made;
  for (const [name, definition] of Object.entries(isObject($defs) ? $defs : {}))
    components[name] = rewritten(definition);
  return rewritten(rest) as JsonSchema;
}

/** The schema, or one that refers to it as a component of this name: a thing that programs name, too. */
export function namedSchema(name: string, schema: JsonSchema, components: JsonSchema): JsonSchema {
  if (schema.$ref !== undefined) return schema;
  components[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}

export type VisitProperty = (schema: JsonSchema, place: { name: string; owner: string }) => void;

/**
 * Visits every property inside of a schema, also of its branches and members, but not behind references.
 * @param owner name of the component, or of the field, that has the properties
 */
export function eachProperty(schema: JsonSchema, owner: string, visit: VisitProperty): void {
  for (const key of ["anyOf", "oneOf", "allOf"])
    for (const branch of Array.isArray(schema[key]) ? schema[key] : [])
      eachProperty(branch as JsonSchema, owner, visit);
  for (const [name, child] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    visit(child as JsonSchema, { name, owner });
    eachProperty(child as JsonSchema, name, visit);
  }
  if (isObject(schema.items)) eachProperty(schema.items, owner, visit);
  if (isObject(schema.additionalProperties)) eachProperty(schema.additionalProperties, owner, visit);
}
