import type { z } from "zod";
import { capabilityHeader } from "../admission/capability.ts";
import { userHashHeader } from "../admission/perimeter.ts";
import { headerSchema } from "../admission/secret-header.ts";
import { API_VERSION } from "../common-headers.ts";
import {
  bodyLimitOf,
  type Endpoint,
  isManagementWrite,
  isOpenToBrowsers,
  type KeyKind,
  successStatus,
} from "../contract/endpoint.ts";
import { exampleOf } from "./example.ts";
import { headerComponents, headersOf } from "./headers.ts";
import { type OutgoingMessage, outgoingOf } from "./outgoing.ts";
import { errorSchemas, refusalsOf } from "./refusals.ts";
import { EXAMPLE, type JsonSchema, namedSchema, toSchema } from "./schema.ts";

const KEY_NAMES: Readonly<Record<KeyKind, string>> = {
  publishable: "publishableKey",
  secret: "secretKey",
  agent: "agentKey",
  send: "sendKey",
};

const capitalized = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1);

function parameters(
  schema: z.ZodType | undefined,
  place: "path" | "query" | "header",
  components: JsonSchema,
): JsonSchema[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = toSchema(schema, "input", components) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
    ...(place === "path" && rest[EXAMPLE] !== undefined ? { example: rest[EXAMPLE] } : {}),
  }));
}

function requestBody({ spec }: Endpoint, components: JsonSchema): JsonSchema {
  if (spec.upload !== undefined) {
    const { field, maxBytes } = spec.upload;
    const schema = {
      type: "object",
      required: [field],
      properties: {
        [field]: { type: "string", format: "binary", description: `At most ${maxBytes} bytes.` },
      },
    };
    return { requestBody: { required: true, content: { "multipart/form-data": { schema } } } };
  }
  if (spec.body === undefined) return {};
  const description = `At most ${bodyLimitOf(spec)} bytes.`;
  const schema = namedSchema(
    `${capitalized(spec.id)}Body`,
    toSchema(spec.body, "input", components),
    components,
  );
  const example = spec.example === undefined ? {} : { example: spec.example };
  return {
    requestBody: { required: true, description, content: { "application/json": { schema, ...example } } },
  };
}

function operation(endpoint: Endpoint, components: JsonSchema, responses: JsonSchema): JsonSchema {
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
  const answers: JsonSchema = {};
  if (spec.result !== undefined) {
    const shape = toSchema(spec.result, "output", components);
    answers.content = {
      "application/json": { schema: namedSchema(`${capitalized(spec.id)}Answer`, shape, components) },
    };
  }
  if (spec.downloads !== undefined)
    answers.content = Object.fromEntries(
      spec.downloads.map((type) => [type, { schema: { type: "string", format: "binary" } }]),
    );
  const success = (description: string, status: number) => ({
    description,
    headers: headersOf(status, isManagementWrite(endpoint)),
    ...answers,
  });
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
      ...parameters(spec.secretHeader && headerSchema(spec.secretHeader), "header", components),
      ...parameters(spec.needsCapability ? capabilityHeader : undefined, "header", components),
      ...idempotency,
    ],
    ...requestBody(endpoint, components),
    responses: {
      ...(spec.replays
        ? { 200: success("The original of an earlier request, for one that repeats it", 200) }
        : {}),
      [successStatus(spec)]: success("Success", successStatus(spec)),
      ...refusalsOf(endpoint, responses),
    },
  };
}

/** Gives every success that has a body an example of it. */
function addExamples(paths: Readonly<Record<string, JsonSchema>>, components: JsonSchema): void {
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const { responses } = operation as { responses: Record<string, { content?: JsonSchema }> };
    for (const [status, { content }] of Object.entries(responses)) {
      const media = content?.["application/json"] as JsonSchema | undefined;
      if (media === undefined || Number(status) >= 400) continue;
      media.example = exampleOf(media.schema as JsonSchema, components);
    }
  }
}

const byName = (components: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Operations by path, with the schemas and refusals that they share. */
function partsOf(endpoints: readonly Endpoint[]) {
  const components: JsonSchema = errorSchemas();
  const responses: JsonSchema = {};
  const paths: Record<string, JsonSchema> = {};
  for (const endpoint of endpoints) {
    const { path, method } = endpoint.spec;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(endpoint, components, responses) };
  }
  // Only what takes expressions of audiences says what is wrong with them.
  if (components.Diagnostic === undefined)
    delete (components.Error as { properties: JsonSchema }).properties.diagnostics;
  return { paths, responses, components };
}

/** The schemas that operations take and answer, by name. */
export const schemasOf = (endpoints: readonly Endpoint[]): JsonSchema => partsOf(endpoints).components;

/** A group of operations, and what it is about. */
export type Tag = { name: string; description: string };

/** Operations as readers look for them: first the groups that pages and apps call, then all others, each by path. */
function inReadingOrder(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const open = new Set(endpoints.filter(isOpenToBrowsers).map(({ spec }) => spec.tag));
  const placeOf = ({ spec: { tag, path } }: Endpoint): string => `${open.has(tag) ? 0 : 1} ${tag} ${path}`;
  return endpoints
    .map((endpoint) => ({ endpoint, place: placeOf(endpoint) }))
    .sort((one, other) => (one.place === other.place ? 0 : one.place < other.place ? -1 : 1))
    .map(({ endpoint }) => endpoint);
}

/** What the document tells of: operations, what their groups are about, and what the server sends by itself. */
export type Documented = {
  endpoints: readonly Endpoint[];
  tags: readonly Tag[];
  outgoing?: readonly OutgoingMessage[];
};

/** The OpenAPI 3.1 document of the same objects that serve the requests. */
export function openApiDocument({ endpoints, tags, outgoing = [] }: Documented): JsonSchema {
  const inOrder = inReadingOrder(endpoints);
  const { paths, responses, components } = partsOf(inOrder);
  addExamples(paths, components);
  const webhooks = outgoing.length === 0 ? {} : { webhooks: outgoingOf(outgoing, components) };
  const bearer = (description: string): JsonSchema => ({ type: "http", scheme: "bearer", description });
  return {
    openapi: "3.1.0",
    info: {
      title: "Tidings API",
      version: API_VERSION,
      description:
        "Targeted messages to the users of a product, what those users do, and which message it came from. Every instant is epoch milliseconds. A refusal says `error`, which names the field and the rule. Management refuses fields that it does not know, in bodies and queries, and names the nearest one. A number is kept exactly or refused: send as a text what has more digits than a double keeps, such as an id of 16 digits or more. Where the size of a body is limited, an escape such as `\\u0441` counts as the character in UTF-8. Of a key that comes twice in an object the last one is taken.",
    },
    servers: [{ url: "/" }],
    tags: [...new Set(inOrder.map(({ spec }) => spec.tag))].map(
      (tag) => tags.find(({ name }) => name === tag) ?? { name: tag },
    ),
    paths,
    ...webhooks,
    components: {
      headers: headerComponents,
      responses: byName(responses),
      schemas: byName(components),
      securitySchemes: {
        publishableKey: bearer("pk_pub_…: identifies the project, safe in a browser."),
        secretKey: bearer("pk_…: management, server-side only."),
        agentKey: bearer("pk_agent_…: the hosted agent's scoped key."),
        sendKey: bearer("pk_send_…: transactional mail and nothing else, server-side only."),
      },
    },
  };
}
