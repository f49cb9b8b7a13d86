import { ApiError } from "../../../platform/http/contract/errors.ts";
import type { PublicRequest } from "../../../platform/http/public/public-route.ts";
import type { App } from "../../../platform/runtime.ts";
import { identity } from "./identity.ts";
import { type AskLibrary, bodyFields } from "./library-call.ts";
import { deletePasskey, deleteSession, findPasswordHash, isSessionThere } from "./session-store.ts";

/**
 * The library signs in, and makes passkeys, in several statements. A new password that comes between two of them ends all that was there,
 * and not what comes after it; so each looks again once it is done, and takes part in no race: it waits for a reset that is under way.
 */

const REPLACED = "The password was replaced in this moment. Sign in with the new one.";

/** The credential that the body of a passkey names; empty where it names none. */
export function credentialIn(body: Buffer): string {
  const response = bodyFields(body)?.response;
  const id = typeof response === "object" && response !== null && "id" in response ? response.id : null;
  return typeof id === "string" ? id : "";
}

/** Signs in, unless the password was replaced meanwhile. @throws ApiError unauthorized then, with the new session ended */
export async function signInOnce(
  app: App,
  by: { email: string } | { credentialId: string },
  signIn: () => Promise<Response>,
): Promise<Response> {
  const { kysely } = app.database;
  const before = await findPasswordHash(kysely, by, "none");
  const response = await signIn();
  if (!response.ok) return response;
  // An account without a password is one whose passkey was removed by the reset.
  if (before !== null && (await findPasswordHash(kysely, by, "wait")) === before) return response;
  const [cookie = ""] = response.headers.getSetCookie();
  const session = await (await app.get(identity)()).sessionOf(cookie);
  if (session !== null) await deleteSession(kysely, session.personId, session.id);
  throw new ApiError("unauthorized", REPLACED);
}

/** Makes a passkey, unless the session that makes it ended meanwhile. @throws ApiError unauthorized then, with the passkey removed */
export async function makePasskeyOnce(
  app: App,
  { body, headers }: PublicRequest,
  ask: AskLibrary,
): Promise<Response> {
  const { kysely } = app.database;
  const session = await (await app.get(identity)()).sessionOf(headers.cookie ?? "");
  const response = await ask(body);
  if (session === null || !response.ok || (await isSessionThere(kysely, session.id))) return response;
  await deletePasskey(kysely, session.personId, credentialIn(body));
  throw new ApiError("unauthorized");
}
