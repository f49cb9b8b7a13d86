import { ApiError } from "../../platform/http/errors.ts";
import type { PublicRequest } from "../../platform/http/public-route.ts";
import type { App } from "../../platform/runtime.ts";
import { identity } from "./identity.ts";
import { deletePasskeys } from "./store.ts";
import { accountOf, refundTry, takeTry } from "./tries.ts";

/** The fields of a body; null where it is no object of JSON. */
function fieldsIn(body: Buffer): Record<string, unknown> | null {
  try {
    const given: unknown = JSON.parse(body.toString("utf8"));
    return typeof given === "object" && given !== null && !Array.isArray(given) ? { ...given } : null;
  } catch {
    return null;
  }
}

async function isWrongPassword(response: Response): Promise<boolean> {
  return (
    !response.ok && fieldsIn(Buffer.from(await response.clone().arrayBuffer()))?.code === "INVALID_PASSWORD"
  );
}

/**
 * Has the library change the password of the person who is signed in. Everybody else who is signed in to the account is out afterwards: all other
 * sessions end, and the passkeys are removed unless the person says `keepPasskeys`. A wrong present password counts as a try to sign in.
 * @param ask asks the library, with a body in place of that of the request
 */
export async function changePassword(
  app: App,
  { body, headers, now }: PublicRequest,
  ask: (body: Buffer) => Promise<Response>,
): Promise<Response> {
  const { sessionOf } = await app.get(identity)();
  const session = await sessionOf(headers.cookie ?? "");
  const given = fieldsIn(body);
  // The library refuses both.
  if (session === null || given === null) return ask(body);
  const { keepPasskeys = false, ...passwords } = given;
  if (typeof keepPasskeys !== "boolean")
    throw new ApiError("invalid_request", "keepPasskeys must be true or false");
  const account = accountOf(session.email);
  takeTry(app, account, now);
  const response = await ask(Buffer.from(JSON.stringify({ ...passwords, revokeOtherSessions: true })));
  if (await isWrongPassword(response)) return response;
  refundTry(app, account);
  if (response.ok && !keepPasskeys) await deletePasskeys(app.database.kysely, session.personId);
  return response;
}
