import { z } from "zod";
import { isSent, shapesOf } from "../contract/fields.ts";

/** Where a schema keeps the example of its field. Answers show it; the schema itself, written as JSON, leaves it out. */
export const EXAMPLE = Symbol("example");

export type JsonSchema = Record<string, unknown> & { [EXAMPLE]?: unknown };
export type SchemaDirection = "input" | "output";

/** Larger integers get a format: generators of clients take a plain `integer` for 32 bits. */
const MAX_INT32 = 2 ** 31 - 1;

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A shape as part of another one: a reference if it has an id. */
const reference = (shape: z.ZodType, io: SchemaDirection, components: JsonSchema): JsonSchema =>
  (toSchema(z.object({ shape }), io, components).properties as { shape: JsonSchema }).shape;

/** Says what a field means beside the alternatives of its value and null, wherever it was described: before `nullable()` or after it. */
function hoistMeaning(made: JsonSchema): void {
  if (made.description !== undefined || !Array.isArray(made.anyOf)) return;
  const [value, none] = made.anyOf as JsonSchema[];
  if (value?.description === undefined || value.$ref !== undefined || none?.type !== "null") return;
  made.description = value.description;
  delete value.description;
}

/** What stands under these is a map by name, and no schema. */
const MAPS = new Set(["properties", "$defs"]);

function rewritten(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((each) => rewritten(each));
  if (!isObject(value)) return value;
  const made: JsonSchema = {};
  for (const [key, child] of Object.entries(value)) {
    if (isMap) made[key] = rewritten(child);
    else if (key === "example") made[EXAMPLE] = child;
    else if (key === "$ref") made.$ref = String(child).replace("#/$defs/", "#/components/schemas/");
    else if (key !== "id" && child !== undefined) made[key] = rewritten(child, MAPS.has(key));
  }
  hoistMeaning(made);
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
        const [only, ...more] = shapes.map((shape) =>
          reference(shape, isSent(shape) ? "input" : io, components),
        );
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
