import { ApiError } from "../../platform/http/errors.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../../platform/http/public-route.ts";
import { isOurOrigin } from "../../platform/http/same-origin.ts";
import type { App } from "../../platform/runtime.ts";
import { insertEntry } from "../audit/public.ts";
import { changePassword } from "./change-password.ts";
import { identity, SIGN_IN_PATH } from "./identity.ts";
import { findStanding } from "./store.ts";
import { accountOf, takeTry } from "./tries.ts";

/** Signs in, out, and changes what one signs in with. Paths and bodies are those of the library. */
const PATHS = [
  ["POST", "/sign-in/email"],
  ["POST", "/sign-out"],
  ["GET", "/get-session"],
  ["POST", "/change-password"],
  ["GET", "/passkey/generate-register-options"],
  ["POST", "/passkey/verify-registration"],
  ["GET", "/passkey/generate-authenticate-options"],
  ["POST", "/passkey/verify-authentication"],
  ["GET", "/passkey/list-user-passkeys"],
  ["POST", "/passkey/update-passkey"],
  ["POST", "/passkey/delete-passkey"],
] as const;

/** @throws ApiError for a page of another origin: it must neither use a session nor begin one */
function refuseOtherPages(request: PublicRequest, publicUrl: string): void {
  const site = request.headers["sec-fetch-site"];
  const isRead = request.method !== "POST";
  if ((site !== undefined && site !== "same-origin") || !(isRead || isOurOrigin(request, publicUrl)))
    throw new ApiError("forbidden", "Pages of other origins may not sign people in.");
}

/** The account that a request wants to sign in to, as a digest. */
function accountIn(body: Buffer): string {
  try {
    const { email } = JSON.parse(body.toString("utf8")) as { email?: unknown };
    return accountOf(String(email));
  } catch {
    return "unreadable";
  }
}

/** The request for the library: at the declared path, however the caller has spelled it. */
function requestFor({ method, url, headers, body }: PublicRequest, app: App, path: string): Request {
  // A page of this server asks under the address that its browser knows, which a proxy may have changed.
  const origin = headers.origin ?? app.publicUrl();
  const passed = new Headers({ "content-type": "application/json", origin });
  for (const name of ["cookie", "user-agent"] as const) {
    const value = headers[name];
    if (value !== undefined) passed.set(name, value);
  }
  const init = { method, headers: passed };
  const [, query = ""] = url.split("?");
  const address = new URL(`${SIGN_IN_PATH}${path}?${query}`, origin);
  return new Request(address, method === "POST" ? { ...init, body: new Uint8Array(body) } : init);
}

/** The library's refusal as one of ours. */
function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message : "Could not sign in";
  } catch {
    return "Could not sign in";
  }
}

/** What changes an account, by the name that the audit log has for it. */
const AUDITED: Readonly<Record<string, string>> = {
  "/change-password": "changePassword",
  "/passkey/verify-registration": "makePasskey",
  "/passkey/delete-passkey": "deletePasskey",
};

/** Writes down that a person changed their account. The library has committed the change by then. */
async function audit(app: App, operation: string, cookie: string, now: number): Promise<void> {
  const { sessionOf } = await app.get(identity)();
  const session = await sessionOf(cookie);
  const standing = session && (await findStanding(app.database.kysely, session.personId, null));
  if (session === null || standing === null) return;
  const { personId: id, name } = session;
  await insertEntry(app.database.kysely, {
    ...{ organizationId: standing.organizationId, projectId: null, at: now, by: { kind: "human", id, name } },
    ...{ operation, target: id, detail: {}, requestId: null },
  });
}

async function respond(app: App, request: PublicRequest, path: string): Promise<PublicAnswer> {
  refuseOtherPages(request, app.publicUrl());
  if (path === "/sign-in/email") takeTry(app, accountIn(request.body), request.now);
  const { answer } = await app.get(identity)();
  const ask = (body: Buffer): Promise<Response> => answer(requestFor({ ...request, body }, app, path));
  const response =
    path === "/change-password" ? await changePassword(app, request, ask) : await ask(request.body);
  const text = await response.text();
  const cookies = response.headers.getSetCookie();
  const operation = AUDITED[path];
  // A new password brings a new session, whose cookie counts from now on.
  if (response.ok && operation !== undefined)
    await audit(app, operation, cookies[0] ?? request.headers.cookie ?? "", request.now);
  return {
    status: response.status,
    contentType: "application/json; charset=utf-8",
    body: response.ok ? text : JSON.stringify({ error: messageOf(text) }),
    headers: { "cache-control": "no-store", ...(cookies.length > 0 && { "set-cookie": cookies }) },
  };
}

/** The paths of the sign-in, which answer with cookies. */
export const signInRoutes: readonly PublicRoute[] = PATHS.map(([method, path]) => ({
  method,
  path: `${SIGN_IN_PATH}${path}`,
  bodyLimit: 16_384,
  respond: (app, request) => respond(app, request, path),
}));
