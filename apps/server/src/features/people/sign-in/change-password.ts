import { ApiError } from "../../../platform/http/contract/errors.ts";
import type { PublicRequest } from "../../../platform/http/public/public-route.ts";
import type { App } from "../../../platform/runtime.ts";
import { deletePasskeys } from "../store.ts";
import { identity } from "./identity.ts";
import { knownBrowsers } from "./known-browser.ts";
import { type AskLibrary, bodyFields } from "./library-call.ts";
import { deleteOtherSessions } from "./session-store.ts";
import { tryPassword } from "./sign-in-tries.ts";

async function isWrongPassword(response: Response): Promise<boolean> {
  return (
    !response.ok && bodyFields(Buffer.from(await response.clone().arrayBuffer()))?.code === "INVALID_PASSWORD"
  );
}

/**
 * Has the library change the password of the person who is signed in. Everybody else who is signed in to the account is out afterwards: all other
 * sessions end, and the passkeys are removed unless the person says `keepPasskeys`. A wrong present password counts as a try to sign in.
 * @param ask asks the library, with a body in place of that of the request
 */
export async function changePassword(
  app: App,
  { body, headers, address }: PublicRequest,
  ask: AskLibrary,
): Promise<Response> {
  const { sessionOf } = await app.get(identity)();
  const session = await sessionOf(headers.cookie ?? "");
  const given = bodyFields(body);
  // The library refuses both.
  if (session === null || given === null) return ask(body);
  const { keepPasskeys = false, ...passwords } = given;
  if (typeof keepPasskeys !== "boolean")
    throw new ApiError("invalid_request", "keepPasskeys must be true or false");
  const account = app.get(knownBrowsers).accountOf(session.email);
  // A person who is signed in has a budget of their own, which strangers at the sign-in cannot use up.
  const trier = { address, account, browser: session.id };
  const changed = Buffer.from(JSON.stringify({ ...passwords, revokeOtherSessions: true }));
  const response = await tryPassword(app, trier, { compare: () => ask(changed), isWrong: isWrongPassword });
  if (!response.ok || keepPasskeys) return response;
  const { kysely } = app.database;
  await deletePasskeys(kysely, session.personId);
  // A passkey may have signed in after the library had ended the other sessions, for as long as it was still there.
  const begun = await sessionOf(response.headers.getSetCookie()[0] ?? "");
  await deleteOtherSessions(kysely, session.personId, begun?.id ?? null);
  return response;
}
