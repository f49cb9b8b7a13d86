import type { FastifyError } from "fastify";
import { Overloaded } from "../../db/bounded-pool.ts";
import { isLocked, isStopped, isUnreachable } from "../../db/db.ts";
import type { Log } from "../../log.ts";
import { ApiError } from "./errors.ts";

const BUSY = "The server has more to do than it can right now; try again in a moment.";
const TOO_LONG =
  "This took the database too long, and was stopped: ask for less (a simpler audience, a shorter time, a smaller page), or try again when there is less to do.";

/**
 * Anything thrown, as a refusal. An error that is not an `ApiError` is logged, and its refusal does not show it.
 * @param tooLarge the refusal of a body that is too large
 */
export function toApiError(error: unknown, log: Log, requestId: string, tooLarge: () => ApiError): ApiError {
  if (error instanceof ApiError) {
    if (error.status >= 500 && error.cause !== undefined)
      log.error({ err: error.cause, requestId }, error.message);
    return error;
  }
  const { code, statusCode } = error as FastifyError;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return tooLarge();
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return new ApiError("invalid_request", "Content-Type must be application/json");
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError("invalid_request");
  if (error instanceof Overloaded) {
    log.warn({ reason: error.message, requestId }, "a request was refused: too much waits");
    return new ApiError("unavailable", BUSY, { headers: { "retry-after": "1" } });
  }
  if (isStopped(error)) {
    log.warn({ err: error, requestId }, "a statement was stopped: it took too long");
    return new ApiError("unavailable", TOO_LONG, { headers: { "retry-after": "10" } });
  }
  if (isLocked(error)) {
    log.warn({ err: error, requestId }, "a request waited too long for a lock");
    return new ApiError("unavailable", "This user is being changed at this moment; try again.", {
      headers: { "retry-after": "1" },
    });
  }
  if (isUnreachable(error)) {
    log.error({ err: error, requestId }, "the database is not reachable");
    return new ApiError("unavailable", undefined, { headers: { "retry-after": "1" } });
  }
  log.error({ err: error, requestId }, "a request failed");
  return new ApiError("internal");
}
