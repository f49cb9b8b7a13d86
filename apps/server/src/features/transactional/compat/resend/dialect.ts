import type { Dialect, DialectRefusal } from "../../../../platform/http/contract/dialect.ts";
import type { ApiError } from "../../../../platform/http/contract/errors.ts";
import { SENDER_DOMAIN } from "../request-mails.ts";

/** A refusal as the package `resend` answers it: `{ error: { name, message, statusCode } }`. */
const refusalOf = (status: number, name: string, message: string): DialectRefusal => ({
  status,
  body: { statusCode: status, name, message },
});

/** A field that is missing, as our own refusals name it. */
const MISSING = /^(\S{1,200}) is required\b/;

/** Reasons that Resend answers with 403: the project cannot send so, whatever the request says. */
const NOT_VERIFIED: ReadonlySet<unknown> = new Set([SENDER_DOMAIN, "channel_not_ready"]);

function refusalOfBody({ message, fields: { reason } }: ApiError): DialectRefusal {
  if (message.startsWith("Idempotency-Key")) return refusalOf(400, "invalid_idempotency_key", message);
  if (NOT_VERIFIED.has(reason)) return refusalOf(403, "validation_error", message);
  const [, field] = MISSING.exec(message) ?? [];
  return field === undefined
    ? refusalOf(422, "validation_error", message)
    : refusalOf(422, "missing_required_field", `Missing \`${field}\` field: ${message}.`);
}

/** Why a request is in conflict: only where that is about its key, it has no reason. */
function conflictOf(error: ApiError): DialectRefusal {
  const { message, fields } = error;
  if (fields.reason !== undefined) return refusalOfBody(error);
  const isUnderWay = message.includes("is under way");
  return refusalOf(
    409,
    isUnderWay ? "concurrent_idempotent_requests" : "invalid_idempotent_request",
    message,
  );
}

function resendRefusal(error: ApiError, hasKey: boolean): DialectRefusal {
  const { code, status, message } = error;
  switch (code) {
    case "invalid_request":
      return refusalOfBody(error);
    case "unauthorized":
      return hasKey
        ? refusalOf(401, "validation_error", "API key is invalid")
        : refusalOf(401, "missing_api_key", "Missing API key: send Authorization: Bearer <key>");
    case "forbidden":
      return refusalOf(401, "restricted_api_key", message);
    case "not_found":
      return refusalOf(404, "not_found", message);
    case "conflict":
      return conflictOf(error);
    case "too_large":
      return refusalOf(413, "validation_error", message);
    case "rate_limited":
      return refusalOf(429, "rate_limit_exceeded", message);
    default:
      return refusalOf(status, status === 500 ? "internal_server_error" : "application_error", message);
  }
}

/** How the libraries of Resend speak. */
export const resend: Dialect = {
  prefix: "/compat/resend",
  longestIdempotencyKey: 256,
  takes: "POST /emails, POST /emails/batch and GET /emails/{id} of Resend",
  refusal: resendRefusal,
};
