import { z } from "zod";
import { capabilityHeader } from "./capability.ts";
import { API_VERSION } from "./common-headers.ts";
import { DEFAULT_BODY_LIMIT, type Endpoint, isManagementWrite, successStatus } from "./endpoint.ts";
import { type ErrorCode, errorRegistry, MAX_STRICT_ERROR } from "./errors.ts";
import { shapesOf } from "./fields.ts";
import { userHashHeader } from "./perimeter.ts";

type Json = Record<string, unknown>;

const KEY_NAMES = { publishable: "publishableKey", secret: "secretKey", agent: "agentKey" } as const;

/** A shape as part of another one: one with an id is referred to. */
const reference = (shape: z.ZodType, io: "input" | "output", components: Json): Json =>
  (toSchema(z.object({ shape }), io, components).properties as { shape: Json }).shape;

/** Schemas with an id become components and are referred to. */
function toSchema(schema: z.ZodType, io: "input" | "output", components: Json): Json {
  const made = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    unrepresentable: "any",
    reused: "inline",
    override({ zodSchema, jsonSchema }) {
      const shapes = shapesOf(zodSchema);
      if (shapes !== undefined) jsonSchema.anyOf = shapes.map((shape) => reference(shape, io, components));
    },
  }) as Json;
  const { $schema: _, $defs, ...rest } = made;
  const rewrite = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rewrite);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => key !== "id" || typeof (value as Json).id !== "string")
        .map(([key, child]) => [
          key,
          key === "$ref" && typeof child === "string"
            ? child.replace("#/$defs/", "#/components/schemas/")
            : rewrite(child),
        ]),
    );
  };
  for (const [name, definition] of Object.entries(($defs as Json | undefined) ?? {}))
    components[name] = rewrite(definition);
  return rewrite(rest) as Json;
}

function parameters(
  schema: z.ZodType | undefined,
  place: "path" | "query" | "header",
  components: Json,
): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = toSchema(schema, "input", components) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

function requestBody({ spec }: Endpoint, components: Json): Json {
  if (spec.upload !== undefined) {
    const { field } = spec.upload;
    const schema = {
      type: "object",
      required: [field],
      properties: { [field]: { type: "string", format: "binary" } },
    };
    return { requestBody: { required: true, content: { "multipart/form-data": { schema } } } };
  }
  if (spec.body === undefined) return {};
  const description = `At most ${spec.bodyLimit ?? DEFAULT_BODY_LIMIT} bytes.`;
  const schema = toSchema(spec.body, "input", components);
  return { requestBody: { required: true, description, content: { "application/json": { schema } } } };
}

function refusals(endpoint: Endpoint): ErrorCode[] {
  const { spec } = endpoint;
  const everywhere: ErrorCode[] = ["unauthorized", "forbidden", "rate_limited", "internal", "unavailable"];
  const reads: ErrorCode[] = spec.params || spec.query || spec.body || spec.upload ? ["invalid_request"] : [];
  const sized: ErrorCode[] = spec.body || spec.upload ? ["too_large"] : [];
  const replays: ErrorCode[] = isManagementWrite(endpoint) ? ["conflict"] : [];
  const proven: ErrorCode[] = spec.identifies ? ["unidentified"] : [];
  const managed: ErrorCode[] = spec.managedOnly ? ["managed_only"] : [];
  return [...everywhere, ...reads, ...sized, ...replays, ...proven, ...managed, ...(spec.errors ?? [])];
}

function operation(endpoint: Endpoint, components: Json): Json {
  const { spec } = endpoint;
  const idempotency = isManagementWrite(endpoint)
    ? [
        {
          name: "Idempotency-Key",
          in: "header",
          required: false,
          description: "The same key, operation and body answers the stored response for 24 hours.",
          schema: { type: "string", minLength: 1, maxLength: 128 },
        },
      ]
    : [];
  const errorShape = spec.strictErrors ? "StrictError" : "Error";
  const byStatus = Map.groupBy(new Set(refusals(endpoint)), (code) => errorRegistry[code].status);
  const errors = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => errorRegistry[code].message).join(" / "),
        content: { "application/json": { schema: { $ref: `#/components/schemas/${errorShape}` } } },
      },
    ]);
  const content =
    spec.result === undefined
      ? {}
      : { content: { "application/json": { schema: toSchema(spec.result, "output", components) } } };
  const success = (description: string) => ({ description, ...content });
  return {
    operationId: spec.id,
    summary: spec.summary,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    tags: [spec.tag],
    security: spec.keys.map((kind) => ({ [KEY_NAMES[kind]]: [] })),
    parameters: [
      ...parameters(spec.params, "path", components),
      ...parameters(spec.query, "query", components),
      ...parameters(spec.identifies ? userHashHeader : undefined, "header", components),
      ...parameters(spec.needsCapability ? capabilityHeader : undefined, "header", components),
      ...idempotency,
    ],
    ...requestBody(endpoint, components),
    responses: {
      ...(spec.replays
        ? { 200: success("The original of an earlier request, for one that repeats it") }
        : {}),
      [successStatus(spec)]: success("Success"),
      ...Object.fromEntries(errors),
    },
  };
}

/** The OpenAPI 3.1 document of the same objects that serve the requests. */
export function openApiDocument(endpoints: readonly Endpoint[]): Json {
  const components: Json = {
    Error: {
      type: "object",
      required: ["error"],
      properties: {
        error: { type: "string", description: "What is wrong, and with which field." },
        diagnostics: {
          type: "array",
          maxItems: 20,
          items: { $ref: "#/components/schemas/Diagnostic" },
          description: "Of an audience expression: everything that is wrong with it.",
        },
        currentVersion: {
          type: "integer",
          minimum: 1,
          maximum: 1_000_000,
          description: "Of a segment that has moved on.",
        },
      },
      additionalProperties: true,
    },
    StrictError: {
      type: "object",
      required: ["error"],
      properties: { error: { type: "string", minLength: 1, maxLength: MAX_STRICT_ERROR } },
      additionalProperties: false,
    },
  };
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const { path, method } = endpoint.spec;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(endpoint, components) };
  }
  const bearer = (description: string): Json => ({ type: "http", scheme: "bearer", description });
  return {
    openapi: "3.1.0",
    info: {
      title: "Tidings API",
      version: API_VERSION,
      description:
        "Targeted messages to the users of a product, what those users do, and which message it came from. Every instant is epoch milliseconds.",
    },
    servers: [{ url: "/" }],
    tags: [...new Set(endpoints.map(({ spec }) => spec.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        publishableKey: bearer("pk_pub_…: identifies the project, safe in a browser."),
        secretKey: bearer("pk_…: management, server-side only."),
        agentKey: bearer("pk_agent_…: the hosted agent's scoped key."),
      },
    },
  };
}
