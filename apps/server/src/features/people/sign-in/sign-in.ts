import { isOurOrigin, otherPage } from "../../../platform/http/admission/same-origin.ts";
import type { AuditedAct } from "../../../platform/http/audit.ts";
import { afterAddressBudget, challenges } from "../../../platform/http/budgets/address-budget.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../../../platform/http/public/public-route.ts";
import type { App } from "../../../platform/runtime.ts";
import { insertEntry } from "../../audit/public.ts";
import { findStanding } from "../store.ts";
import { changePassword } from "./change-password.ts";
import { identity, type Session, SIGN_IN_PATH } from "./identity.ts";
import { knownBrowsers } from "./known-browser.ts";
import { type AskLibrary, bodyFields, readLibraryBody, requestFor } from "./library-call.ts";
import { credentialIn, makePasskeyOnce, signInOnce } from "./overtaken.ts";
import { signInTries, tryPassword } from "./sign-in-tries.ts";

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
    throw otherPage(request, publicUrl, "Pages of other origins may not sign people in.");
}

type Step = (app: App, request: PublicRequest, ask: AskLibrary) => Promise<Response>;

/** Signs in with a password. Wrong ones count against the account, apart for a browser that has signed in to it before. */
async function byPassword(app: App, { body, headers, address }: PublicRequest, ask: AskLibrary) {
  const { email, password } = bodyFields(body) ?? {};
  // Without both the library refuses the request, and compares nothing.
  if (typeof email !== "string" || typeof password !== "string") return ask(body);
  const browsers = app.get(knownBrowsers);
  const account = browsers.accountOf(email);
  const trier = { address, account, browser: browsers.idIn(headers.cookie ?? "", account) };
  const compare = (): Promise<Response> => ask(body);
  return signInOnce(app, { email }, () =>
    tryPassword(app, trier, { compare, isWrong: ({ status }) => status === 401 }),
  );
}

async function byPasskey(app: App, { body, address }: PublicRequest, ask: AskLibrary) {
  const tried = app.get(signInTries).begin({ address, account: null, browser: null });
  const response = await signInOnce(app, { credentialId: credentialIn(body) }, () => ask(body));
  if (response.ok) tried.forgive();
  else tried.failed();
  return response;
}

/** Each challenge is a row of the database, for any visitor. */
async function challenge(app: App, { body, address, now }: PublicRequest, ask: AskLibrary) {
  afterAddressBudget(app.get(challenges).take(address, now));
  return ask(body);
}

/** What stands before some of the library's paths. */
const STEPS: Readonly<Record<string, Step>> = {
  "/sign-in/email": byPassword,
  "/change-password": changePassword,
  "/passkey/verify-authentication": byPasskey,
  "/passkey/verify-registration": makePasskeyOnce,
  "/passkey/generate-authenticate-options": challenge,
};

/** How a session begins. */
const SIGN_INS: Readonly<Record<string, "password" | "passkey">> = {
  "/sign-in/email": "password",
  "/passkey/verify-authentication": "passkey",
};

const act = (operation: string, did: string): AuditedAct => ({ operation, tag: "People", did, target: "id" });
const SIGN_IN = act("signIn", "signed in");

/** What changes an account, as the audit log tells of it. */
const AUDITED: Readonly<Record<string, AuditedAct>> = {
  "/sign-in/email": SIGN_IN,
  "/passkey/verify-authentication": SIGN_IN,
  "/change-password": act("changePassword", "changed their password"),
  "/passkey/verify-registration": act("makePasskey", "made a passkey"),
  "/passkey/delete-passkey": act("deletePasskey", "removed a passkey"),
};

export const accountActs: readonly AuditedAct[] = [...new Set(Object.values(AUDITED))];

/** Writes down that a person signed in, or changed their account. The library has committed it by then. */
async function audit(app: App, path: string, { personId: id, name }: Session, now: number): Promise<void> {
  const standing = await findStanding(app.database.kysely, id, null);
  const operation = AUDITED[path]?.operation;
  if (standing === null || operation === undefined) return;
  const how = SIGN_INS[path];
  await insertEntry(app.database.kysely, {
    organizationId: standing.organizationId,
    projectId: null,
    at: now,
    by: { kind: "human", id, name },
    operation,
    target: id,
    detail: how === undefined ? {} : { after: { how } },
    requestId: null,
  });
}

/** Does what follows a request that the library took; answers further cookies. */
async function follow(
  app: App,
  path: string,
  { headers, now }: PublicRequest,
  cookies: string[],
): Promise<string[]> {
  if (AUDITED[path] === undefined) return [];
  const { sessionOf } = await app.get(identity)();
  // A sign-in and a new password bring a new session, whose cookie counts from now on.
  const session = await sessionOf(cookies[0] ?? headers.cookie ?? "");
  if (session === null) return [];
  await audit(app, path, session, now);
  const how = SIGN_INS[path];
  if (how === undefined) return [];
  app.get(signInTries).count(how);
  const browsers = app.get(knownBrowsers);
  return [browsers.cookieFor(browsers.accountOf(session.email))];
}

async function respond(app: App, request: PublicRequest, path: string): Promise<PublicAnswer> {
  refuseOtherPages(request, app.publicUrl());
  const { answer } = await app.get(identity)();
  const ask: AskLibrary = (body) => answer(requestFor({ ...request, body }, app, path));
  const response = await (STEPS[path]?.(app, request, ask) ?? ask(request.body));
  const cookies = response.headers.getSetCookie();
  if (response.ok) cookies.push(...(await follow(app, path, request, cookies)));
  return {
    status: response.status,
    contentType: "application/json; charset=utf-8",
    body: await readLibraryBody(response),
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
