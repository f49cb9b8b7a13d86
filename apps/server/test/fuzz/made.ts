import type { Random } from "../crash/random.ts";
import type { ApiDocument, Schema } from "./document.ts";
import { isObject } from "./json.ts";

const MAX_DEPTH = 6;

/** The shapes of a schema, where it is one of several; else itself. */
const shapesOf = (schema: Schema): readonly unknown[] => schema.anyOf ?? schema.oneOf ?? [schema];

function fits(document: ApiDocument, shape: Schema, value: unknown): boolean {
  if (shape.anyOf !== undefined || shape.oneOf !== undefined)
    return shapesOf(shape).some((each) => fits(document, document.resolve(each), value));
  if (value === null) return shape.type === "null";
  if (Array.isArray(value)) return shape.type === "array";
  if (!isObject(value)) return shape.type === typeof value || (shape.type === "integer" && value === 0);
  if (shape.type !== "object") return false;
  return Object.entries(shape.properties ?? {}).every(([name, child]) => {
    const { const: only, enum: some } = document.resolve(child);
    if (value[name] === undefined) return !(shape.required ?? []).includes(name);
    return only !== undefined ? only === value[name] : (some?.includes(value[name]) ?? true);
  });
}

/** The shape that a value has, of those that a schema allows; any of them where there is no value. */
export function shapeFor(document: ApiDocument, random: Random, schema: unknown, value?: unknown): Schema {
  const resolved = document.resolve(schema);
  const shapes = shapesOf(resolved).map((each) => document.resolve(each));
  const fitting = value === undefined ? [] : shapes.filter((shape) => fits(document, shape, value));
  const chosen = random.pick(fitting.length > 0 ? fitting : shapes) ?? resolved;
  return chosen.anyOf || chosen.oneOf ? shapeFor(document, random, chosen, value) : chosen;
}

/** A value that the document allows at a place, small and plain. */
export function made(document: ApiDocument, random: Random, schema: unknown, depth = 0): unknown {
  const shape = shapeFor(document, random, schema);
  if (shape.const !== undefined) return shape.const;
  if (shape.enum !== undefined) return random.pick(shape.enum);
  switch (shape.type) {
    case "string":
      return "a".repeat(Math.max(shape.minLength ?? 0, 1));
    case "integer":
      return shape.minimum !== undefined && shape.minimum > 0 ? shape.minimum : 0;
    case "number":
      return 1.5;
    case "boolean":
      return random.chance(0.5);
    case "array": {
      const length = Math.max(shape.minItems ?? 0, depth < MAX_DEPTH ? random.int(3) : 0);
      return Array.from({ length }, () => made(document, random, shape.items ?? {}, depth + 1));
    }
    case "object":
      return Object.fromEntries(
        Object.entries(shape.properties ?? {})
          .filter(([name]) => shape.required?.includes(name) || (depth < MAX_DEPTH && random.chance(0.3)))
          .map(([name, child]) => [name, made(document, random, child, depth + 1)]),
      );
    default:
      return null;
  }
}
