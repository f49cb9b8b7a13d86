import { ApiError } from "../../../platform/http/contract/errors.ts";

/** Refuses half a limit: a number of messages without days, or days without a number. @throws ApiError invalid_request */
export function assertLimit({ max, days }: { max: number | null; days: number | null }): void {
  if ((max === null) === (days === null)) return;
  const missing = max === null ? "max" : "days";
  throw new ApiError(
    "invalid_request",
    `${missing} is required with ${max === null ? "days" : "max"}, or both are null`,
  );
}
