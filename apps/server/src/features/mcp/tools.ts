import type { Tool as ToolDescription } from "@modelcontextprotocol/sdk/types.js";
import type { z } from "zod";
import { type Endpoint, isManagementWrite, type KeyKind } from "../../platform/http/endpoint.ts";
import {
  capitalized,
  describeProperties,
  openApiDocument,
  parameterWord,
} from "../../platform/http/openapi.ts";
import { type JsonSchema, toSchema } from "../../platform/http/openapi-schema.ts";
import { snakeCase } from "../../platform/snake-case.ts";
import type { ArgumentsShape } from "./read-arguments.ts";
import { offered, shownOnce } from "./tools.pure.ts";

/** Items of a page where the model does not say how many: few enough to be read. */
const PER_PAGE = 20;
/** A range of numbers that JavaScript can count is no news to a model. */
const IS_LARGEST = Number.MAX_SAFE_INTEGER;

type Place = "path" | "query" | "body";
/** Where a request carries each argument. */
export type ArgumentPlaces = ReadonlyMap<string, Place>;

export type Tool = {
  endpoint: Endpoint;
  isWrite: boolean;
  /** Arguments that are sent where the model leaves them out. */
  defaults: Readonly<Record<string, unknown>>;
  places: ArgumentPlaces;
  /** All that it takes, also what its description does not show. */
  shape: ArgumentsShape;
  description: ToolDescription;
};

const COMPONENT = "#/components/schemas/";

/** Names of the components that a schema refers to. */
function referred(value: unknown, names = new Set<string>()): Set<string> {
  if (typeof value !== "object" || value === null) return names;
  for (const [key, child] of Object.entries(value))
    if (key === "$ref") names.add(String(child).replace(COMPONENT, ""));
    else referred(child, names);
  return names;
}

/** Everything that a schema refers to, and what that refers to in turn. Shapes that are written by hand are those of the document. */
function definitionsOf(id: string, schema: unknown, own: JsonSchema, document: JsonSchema): JsonSchema {
  const found: JsonSchema = {};
  const open = [...referred(schema)];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name in found) continue;
    const once = shownOnce[name];
    const isWhole = once === undefined || once.by.includes(id);
    found[name] = isWhole ? (own[name] ?? document[name]) : { type: "object", description: once.elsewhere };
    open.push(...referred(found[name]));
  }
  return found;
}

/** References to components become references within the schema; what says little to a model is left out. */
function slimmed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(slimmed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, child]) =>
      !(key === "format" && child === "int64") &&
      !((key === "maximum" || key === "minimum") && Math.abs(Number(child)) === IS_LARGEST),
  );
  return Object.fromEntries(
    entries.map(([key, child]) => [
      key,
      key === "$ref" ? String(child).replace(COMPONENT, "#/$defs/") : slimmed(child),
    ]),
  );
}

type Shape = { properties: Record<string, JsonSchema>; required: string[] };

/** The properties of one part of a request, with what they mean. */
function partOf(
  endpoint: Endpoint,
  place: Place,
  schema: z.ZodType | undefined,
  components: JsonSchema,
): Shape {
  if (schema === undefined) return { properties: {}, required: [] };
  const made = toSchema(schema, "input", components);
  if (place === "body") describeProperties({ [`${capitalized(endpoint.spec.id)}Body`]: made });
  const { properties = {}, required = [] } = made as Partial<Shape>;
  if (place !== "body")
    for (const [name, property] of Object.entries(properties)) {
      const says = parameterWord(endpoint, name, place)?.says;
      if (says !== undefined) property.description ??= says;
    }
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
function toolOf(endpoint: Endpoint, document: JsonSchema): Tool {
  const { spec } = endpoint;
  const { name = snakeCase(spec.id), isDestructive = false, hides = [] } = offered[spec.id] ?? {};
  const components: JsonSchema = {};
  const parts: [Place, Shape][] = [
    ["path", partOf(endpoint, "path", spec.params, components)],
    ["query", partOf(endpoint, "query", spec.query, components)],
    ["body", partOf(endpoint, "body", spec.body, components)],
    ["body", uploadPart(endpoint)],
  ];
  describeProperties(components);
  const properties: Record<string, JsonSchema> = {};
  const all: Record<string, JsonSchema> = {};
  const places = new Map<string, Place>();
  for (const [place, part] of parts)
    for (const [argument, schema] of Object.entries(part.properties)) {
      if (places.has(argument)) throw new Error(`${spec.id} has two arguments called ${argument}`);
      places.set(argument, place);
      all[argument] = schema;
      if (!hides.includes(argument)) properties[argument] = schema;
    }
  const defaults: Record<string, unknown> = {};
  if (properties.perPage !== undefined) {
    defaults.perPage = PER_PAGE;
    properties.perPage = { ...properties.perPage, default: PER_PAGE };
  }
  const definitions = definitionsOf(spec.id, properties, components, document);
  const required = parts.flatMap(([, part]) => part.required);
  const isWrite = isManagementWrite(endpoint);
  return {
    endpoint,
    isWrite,
    defaults,
    places,
    shape: { properties: all, required, components: { ...document, ...components } },
    description: {
      name,
      description: [`${spec.summary}.`, spec.description].filter((text) => text !== undefined).join(" "),
      inputSchema: {
        type: "object",
        properties: slimmed(properties) as Record<string, JsonSchema>,
        ...(required.length > 0 ? { required } : {}),
        additionalProperties: false,
        ...(Object.keys(definitions).length > 0 ? { $defs: slimmed(definitions) as JsonSchema } : {}),
      },
      annotations: {
        readOnlyHint: !isWrite,
        destructiveHint: isDestructive,
        idempotentHint: !isWrite,
        openWorldHint: true,
      },
    },
  };
}

/** The tools of all operations that models get. */
export function toolsOf(endpoints: readonly Endpoint[]): readonly Tool[] {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.spec.id, endpoint]));
  const { components } = openApiDocument(endpoints) as { components: { schemas: JsonSchema } };
  return Object.keys(offered).flatMap((id) => {
    const endpoint = byId.get(id);
    return endpoint === undefined ? [] : [toolOf(endpoint, components.schemas)];
  });
}

/** The tools for a key: those whose operations it may call. */
export const toolsFor = (
  tools: readonly Tool[],
  kind: KeyKind,
  { readsOnly }: { readsOnly: boolean },
): readonly Tool[] =>
  tools.filter(({ endpoint, isWrite }) => endpoint.spec.keys.includes(kind) && !(readsOnly && isWrite));
