import { API_VERSION } from "../common-headers.ts";
import type { JsonSchema } from "./schema.ts";

/** The headers of answers, as components of the document. */
export const headerComponents: JsonSchema = {
  RequestId: {
    description: "Names this request in the log of the server.",
    required: true,
    schema: { type: "string", maxLength: 64 },
  },
  ApiVersion: {
    description: "The version of this document.",
    required: true,
    schema: { type: "string", const: API_VERSION },
  },
  RetryAfter: {
    description: "Seconds after which it makes sense to ask again.",
    schema: { type: "integer", minimum: 1, maximum: 86_400 },
  },
  IdempotentReplayed: {
    description: "`true` where an earlier request with the same Idempotency-Key was answered this.",
    schema: { type: "string", const: "true" },
  },
};

const refer = (name: string): JsonSchema => ({ $ref: `#/components/headers/${name}` });

/** The headers of an answer with this status. `isReplayable`: whether a success of the operation is kept with its Idempotency-Key. */
export const headersOf = (status: number, isReplayable = false): JsonSchema => ({
  "X-Request-Id": refer("RequestId"),
  "X-API-Version": refer("ApiVersion"),
  ...(status === 429 || status === 503 ? { "Retry-After": refer("RetryAfter") } : {}),
  ...(status < 300 && isReplayable ? { "Idempotent-Replayed": refer("IdempotentReplayed") } : {}),
});
