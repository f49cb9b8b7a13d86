import { EXAMPLE, type JsonSchema } from "./schema.ts";

/** The instant of all examples: 15 January 2026, noon in UTC. */
const EXAMPLE_MS = 1_768_478_400_000;

/** Deeper than anything but a schema that contains itself. */
const MAX_DEPTH = 16;

function textExample({ format, minLength = 0, maxLength = 80 }: JsonSchema): string {
  if (format === "date-time") return new Date(EXAMPLE_MS).toISOString();
  if (format === "uri") return "https://example.com/";
  return "text".padEnd(Number(minLength), "t").slice(0, Number(maxLength));
}

function numberExample({ description = "", minimum = 0 }: JsonSchema): number {
  return /^Epoch ms|^Epoch milliseconds/.test(String(description)) ? EXAMPLE_MS : Number(minimum);
}

/** A value that a schema allows, as an answer might have it: from the examples of its fields, else the smallest value. Optional fields are left out. */
export function exampleOf(schema: JsonSchema, components: JsonSchema, depth = 0): unknown {
  if (depth > MAX_DEPTH) return null;
  const inside = (child: unknown): unknown => exampleOf(child as JsonSchema, components, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema[EXAMPLE] !== undefined) return schema[EXAMPLE];
  if (typeof schema.$ref === "string")
    return inside(components[schema.$ref.replace("#/components/schemas/", "")]);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  for (const key of ["oneOf", "anyOf"])
    if (Array.isArray(schema[key])) {
      const { description } = schema;
      return inside({ description, ...(schema[key] as JsonSchema[])[0] });
    }
  switch (schema.type) {
    case "object": {
      const properties = (schema.properties ?? {}) as JsonSchema;
      const required = (schema.required ?? []) as string[];
      return Object.fromEntries(required.map((field) => [field, inside(properties[field])]));
    }
    case "array":
      return [inside(schema.items)];
    case "integer":
    case "number":
      return numberExample(schema);
    case "boolean":
      return true;
    case "string":
      return textExample(schema);
    default:
      return null;
  }
}
