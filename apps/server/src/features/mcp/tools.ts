import type { Tool as ToolDescription } from "@modelcontextprotocol/sdk/types.js";
import { type ArgumentPlaces, argumentsOf } from "../../platform/http/arguments/arguments-of.ts";
import type { ArgumentsShape } from "../../platform/http/arguments/read-arguments.ts";
import {
  type Endpoint,
  isManagementWrite,
  type KeyKind,
  type ToolOffer,
} from "../../platform/http/contract/endpoint.ts";
import { schemasOf } from "../../platform/http/openapi/document.ts";
import type { JsonSchema } from "../../platform/http/openapi/schema.ts";
import { snakeCase } from "../../platform/text/snake-case.ts";
import { shownOnce } from "./tools.pure.ts";

/** Items of a page where the model does not say how many: few enough to be read. */
const PER_PAGE = 20;
/** A range of numbers that JavaScript can count is no news to a model. */
const IS_LARGEST = Number.MAX_SAFE_INTEGER;

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
      !(key === "minLength" && child === 0) &&
      !((key === "maximum" || key === "minimum") && Math.abs(Number(child)) === IS_LARGEST),
  );
  return Object.fromEntries(
    entries.map(([key, child]) => [
      key,
      key === "$ref" ? String(child).replace(COMPONENT, "#/$defs/") : slimmed(child),
    ]),
  );
}

function toolOf(endpoint: Endpoint, offer: ToolOffer, document: JsonSchema): Tool {
  const { spec } = endpoint;
  const { name = snakeCase(spec.id), isDestructive = false, hides = [] } = offer;
  const { places, properties: all, required, components } = argumentsOf(endpoint);
  const properties = Object.fromEntries(
    Object.entries(all).filter(([argument]) => !hides.includes(argument)),
  );
  const defaults: Record<string, unknown> = {};
  if (properties.perPage !== undefined) {
    defaults.perPage = PER_PAGE;
    properties.perPage = { ...properties.perPage, default: PER_PAGE };
  }
  const definitions = definitionsOf(spec.id, properties, components, document);
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
        ...(required.length > 0 ? { required: [...required] } : {}),
        additionalProperties: false,
        ...(Object.keys(definitions).length > 0 ? { $defs: slimmed(definitions) as JsonSchema } : {}),
      },
      // A tool that does not say otherwise is open to the world.
      annotations: {
        readOnlyHint: !isWrite,
        destructiveHint: isDestructive,
        idempotentHint: !isWrite,
      },
    },
  };
}

/** The tools of all operations that models get, in the order of the operations. */
export function toolsOf(endpoints: readonly Endpoint[]): readonly Tool[] {
  const schemas = schemasOf(endpoints);
  return endpoints.flatMap((endpoint) => {
    const { tool } = endpoint.spec;
    return typeof tool === "object" ? [toolOf(endpoint, tool, schemas)] : [];
  });
}

/** The tools for a key: those whose operations it may call. */
export const toolsFor = (
  tools: readonly Tool[],
  kind: KeyKind,
  { readsOnly }: { readsOnly: boolean },
): readonly Tool[] =>
  tools.filter(({ endpoint, isWrite }) => endpoint.spec.keys.includes(kind) && !(readsOnly && isWrite));
