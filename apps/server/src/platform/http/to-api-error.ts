import type { FastifyError } from "fastify";
import { isUnreachable } from "../db/db.ts";
import type { Log } from "../log.ts";
import { ApiError } from "./errors.ts";

/** Anything thrown, as a refusal. What is not one of ours is logged, and tells the outside nothing. */
export function toApiError(error: unknown, log: Log, requestId: string): ApiError {
  if (error instanceof ApiError) {
    if (error.status >= 500 && error.cause !== undefined)
      log.error({ err: error.cause, requestId }, error.message);
    return error;
  }
  const { code, statusCode } = error as FastifyError;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE" || code === "FST_REQ_FILE_TOO_LARGE")
    return new ApiError("too_large");
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return new ApiError("invalid_request", "Content-Type must be application/json");
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError("invalid_request");
  if (isUnreachable(error)) {
    log.error({ err: error, requestId }, "the database is not reachable");
    return new ApiError("unavailable", undefined, { headers: { "retry-after": "1" } });
  }
  log.error({ err: error, requestId }, "a request failed");
  return new ApiError("internal");
}
