import { type Endpoint, isManagementWrite } from "../contract/endpoint.ts";
import { type ErrorCode, errorRegistry, MAX_STRICT_ERROR, SOURCE_STATUSES } from "../contract/errors.ts";
import { headersOf } from "./headers.ts";
import type { JsonSchema } from "./schema.ts";

const REASON = "Why it cannot be now, where several things could be the reason; what a program switches on.";

/** The schemas of refusals, by name. */
export const errorSchemas = (): JsonSchema => ({
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
      reason: { type: "string", maxLength: 64, description: REASON },
    },
    additionalProperties: true,
  },
  StrictError: {
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "string",
        minLength: 1,
        maxLength: MAX_STRICT_ERROR,
        description: "What is wrong, and with which field.",
      },
    },
    additionalProperties: false,
  },
  SourceError: {
    type: "object",
    required: ["ok", "status", "error"],
    properties: {
      ok: { type: "boolean", const: false, description: "Always false." },
      status: {
        type: "integer",
        minimum: 400,
        maximum: 503,
        enum: [...SOURCE_STATUSES],
        description: "The status of the answer.",
      },
      error: {
        type: "string",
        minLength: 1,
        maxLength: 4_000,
        description: "What is wrong, and with which field.",
      },
      retryAfterMs: {
        type: "integer",
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        format: "int64",
        description: "Milliseconds after which it makes sense to ask again.",
      },
    },
    additionalProperties: false,
  },
});

function codesOf(endpoint: Endpoint): ErrorCode[] {
  const { spec } = endpoint;
  const everywhere: ErrorCode[] = ["unauthorized", "forbidden", "rate_limited", "internal", "unavailable"];
  const reads: ErrorCode[] = spec.params || spec.query || spec.body || spec.upload ? ["invalid_request"] : [];
  const sized: ErrorCode[] = spec.body || spec.upload ? ["too_large"] : [];
  const replays: ErrorCode[] = isManagementWrite(endpoint) ? ["conflict"] : [];
  const proven: ErrorCode[] = spec.identifies ? ["unidentified"] : [];
  const managed: ErrorCode[] = spec.managedOnly ? ["managed_only"] : [];
  return [...everywhere, ...reads, ...sized, ...replays, ...proven, ...managed, ...(spec.errors ?? [])];
}

/** The schema of a refusal with this status. */
export function errorShape(refusals: Endpoint["spec"]["refusals"], status: number): string {
  if (refusals === "strict") return "StrictError";
  return refusals === "source" && SOURCE_STATUSES.has(status) ? "SourceError" : "Error";
}

/** Whether a refusal with this status has reasons of the operation. One with 403 has them only beside refusals of its own. */
const hasReasons = ({ spec }: Endpoint, status: number): boolean =>
  spec.reasons !== undefined &&
  (status === 409 || (status === 403 && spec.errors?.includes("forbidden") === true));

const pascalCase = (code: string): string =>
  code.replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());

/** `UnauthorizedOrUnidentified`, `StrictNotFound`: the codes and the shape are all in which responses without reasons differ. */
const responseName = (codes: readonly ErrorCode[], shape: string): string =>
  shape.replace(/Error$/, "") + codes.map(pascalCase).join("Or");

function responseOf(codes: readonly ErrorCode[], status: number, schema: JsonSchema): JsonSchema {
  return {
    description: codes.map((code) => errorRegistry[code].message).join(" / "),
    headers: headersOf(status),
    content: { "application/json": { schema } },
  };
}

/**
 * The refusals of an operation, by status. What many operations refuse alike becomes one of `responses`, and is referred to; a refusal
 * with reasons is the operation's own, and is written out there.
 */
export function refusalsOf(endpoint: Endpoint, responses: JsonSchema): JsonSchema {
  const { reasons = [], refusals, refusalFields } = endpoint.spec;
  const byStatus = Map.groupBy(new Set(codesOf(endpoint)), (code) => errorRegistry[code].status);
  const entries = [...byStatus].map(([status, codes]): [number, JsonSchema] => {
    const shape = errorShape(refusals, status);
    const schema = { $ref: `#/components/schemas/${shape}` };
    if (hasReasons(endpoint, status)) {
      const reason = { type: "string", enum: [...reasons], description: REASON };
      const own = { type: "object", properties: { reason, ...refusalFields } };
      return [status, responseOf(codes, status, { allOf: [schema, own] })];
    }
    const name = responseName(codes, shape);
    responses[name] = responseOf(codes, status, schema);
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  return Object.fromEntries(entries);
}
