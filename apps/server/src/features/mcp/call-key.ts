import { hash } from "node:crypto";
import { sortedKeys } from "../../platform/http/answer.ts";
import type { Arguments } from "../../platform/http/arguments/read-arguments.ts";
import { isHeaderText } from "../../platform/http/arguments/request-of.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import type { Tool } from "./tools.ts";

/** What tells a call from another one with the same arguments. */
export type CallId = {
  /** The Idempotency-Key that the client chose. */
  given: unknown;
  /** The session that `initialize` named to the client; it tells clients apart, and is kept nowhere. */
  session: string | undefined;
  requestId: string | number;
};

/**
 * The Idempotency-Key of a write: the client's own, or one for this request of this session with these arguments, which a repeat of the
 * same request has again, and a later call with the same arguments has not. Without a session a request's number says nothing, since
 * every client begins at the same one: then there is none, because taking two deliberate calls for one would be worse.
 */
export function keyOf(
  { description }: Tool,
  args: Arguments,
  { given, session, requestId }: CallId,
): string | null {
  if (given !== undefined) {
    if (isHeaderText(given)) return given;
    throw new ApiError(
      "invalid_request",
      "_meta.idempotency-key must be 1 to 128 printable ASCII characters",
    );
  }
  if (session === undefined) return null;
  return hash("sha256", JSON.stringify([session, requestId, description.name, args], sortedKeys));
}
