import type { ApiError } from "./errors.ts";

/** A refusal as another service would write it. */
export type DialectRefusal = { status: number; body: Readonly<Record<string, unknown>> };

/**
 * How another service speaks, for code that keeps the library of that service and only changes its address and its key. The operations
 * under it go the way of all others: key, budget, size, transaction and Idempotency-Key are those of this house.
 */
export type Dialect = {
  /** What the paths of all its operations begin with. Whatever else is called there is refused in its shape as well. */
  prefix: `/${string}`;
  /** The header that has the key, in lower case; `authorization` with a Bearer token where it is not stated. */
  keyHeader?: string;
  /** Characters of an Idempotency-Key; 128 where it is not stated. */
  longestIdempotencyKey?: number;
  /** The calls that it takes, for the refusal of others. */
  takes: string;
  /** @param hasKey whether the request had anything where the key belongs */
  refusal(error: ApiError, hasKey: boolean): DialectRefusal;
};
