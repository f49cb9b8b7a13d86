import type { z } from "zod";
import type { Endpoint } from "../contract/endpoint.ts";
import { type JsonSchema, toSchema } from "../openapi/schema.ts";

type Place = "path" | "query" | "body";
/** Where a request carries each argument. */
export type ArgumentPlaces = ReadonlyMap<string, Place>;

/** The arguments of an operation: those of its path, query and body in one flat object. */
export type OperationArguments = {
  places: ArgumentPlaces;
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
  /** What the properties refer to. */
  components: JsonSchema;
};

type Shape = { properties: Record<string, JsonSchema>; required: string[] };

/** The properties of one part of a request, with what they mean. */
function partOf(place: Place, schema: z.ZodType | undefined, components: JsonSchema): Shape {
  if (schema === undefined) return { properties: {}, required: [] };
  const { properties = {}, required = [] } = toSchema(schema, "input", components) as Partial<Shape>;
  return { properties, required: place === "path" ? Object.keys(properties) : required };
}

/** The file of an upload, as arguments. */
function uploadPart({ spec }: Endpoint): Shape {
  if (spec.upload === undefined) return { properties: {}, required: [] };
  const properties = {
    data: { type: "string", description: `The file in base64, at most ${spec.upload.maxBytes} bytes of it.` },
    contentType: {
      type: "string",
      maxLength: 128,
      description: "What the file is.",
      examples: ["image/png"],
    },
  };
  return { properties, required: Object.keys(properties) };
}

/** @throws Error where two parts of a request have an argument of the same name: one flat object could not carry both */
export function argumentsOf(endpoint: Endpoint): OperationArguments {
  const { spec } = endpoint;
  const components: JsonSchema = {};
  const parts: [Place, Shape][] = [
    ["path", partOf("path", spec.params, components)],
    ["query", partOf("query", spec.query, components)],
    ["body", partOf("body", spec.body, components)],
    ["body", uploadPart(endpoint)],
  ];
  const properties: Record<string, JsonSchema> = {};
  const places = new Map<string, Place>();
  for (const [place, part] of parts)
    for (const [argument, schema] of Object.entries(part.properties)) {
      if (places.has(argument)) throw new Error(`${spec.id} has two arguments called ${argument}`);
      places.set(argument, place);
      properties[argument] = schema;
    }
  return { places, properties, required: parts.flatMap(([, part]) => part.required), components };
}
