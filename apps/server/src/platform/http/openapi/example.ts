import type { JsonSchema } from "./schema.ts";
import { wordOf } from "./words.ts";

/** The instant of all examples: 15 January 2026, noon in UTC. */
const EXAMPLE_MS = 1_768_478_400_000;

/** Deeper than anything but a schema that contains itself. */
const MAX_DEPTH = 16;

type Place = { name: string; owner: string };

function textExample({ format, minLength = 0, maxLength = 80 }: JsonSchema): string {
  if (format === "date-time") return new Date(EXAMPLE_MS).toISOString();
  if (format === "uri") return "https://example.com/";
  return "text".padEnd(Number(minLength), "t").slice(0, Number(maxLength));
}

function numberExample({ description = "", minimum = 0 }: JsonSchema): number {
  return /^Epoch ms|^Epoch milliseconds/.test(String(description)) ? EXAMPLE_MS : Number(minimum);
}

/**
 * A value that a schema allows, as an answer might have it: from the examples of its fields and words, else the smallest value.
 * Optional fields are left out.
 */
export function exampleOf(
  schema: JsonSchema,
  components: JsonSchema,
  { name, owner }: Place,
  depth = 0,
): unknown {
  if (depth > MAX_DEPTH) return null;
  const inside = (child: unknown, place: Place): unknown =>
    exampleOf(child as JsonSchema, components, place, depth + 1);
  const [given] = (schema.examples as unknown[] | undefined) ?? [];
  if (given !== undefined) return given;
  if (schema.const !== undefined) return schema.const;
  const word = wordOf(name, owner)?.example;
  if (word !== undefined) return word;
  if (typeof schema.$ref === "string") {
    const component = schema.$ref.replace("#/components/schemas/", "");
    return inside(components[component], { name: component, owner: component });
  }
  if (Array.isArray(schema.enum)) return schema.enum[0];
  for (const key of ["oneOf", "anyOf"])
    if (Array.isArray(schema[key])) return inside((schema[key] as unknown[])[0], { name, owner });
  switch (schema.type) {
    case "object": {
      const properties = (schema.properties ?? {}) as JsonSchema;
      const required = (schema.required ?? []) as string[];
      const holder = owner === name ? owner : name;
      return Object.fromEntries(
        required.map((field) => [field, inside(properties[field], { name: field, owner: holder })]),
      );
    }
    case "array":
      return [inside(schema.items, { name: `${name}[]`, owner })];
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
