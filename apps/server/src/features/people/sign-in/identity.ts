import { hashPassword } from "@better-auth/utils/password";
import type { BetterAuthOptions } from "better-auth";
import { kyselyOfLibrary } from "../../../platform/db/db.ts";
import { FRESH_MS } from "../../../platform/http/admission/admit-person.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { DAY_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { personOrigin } from "./origin.ts";
import { sessionSecret } from "./session-cookie.ts";

/**
 * All that deals with the library that knows passwords, passkeys and sessions. It keeps them in tables of its own, in the schema
 * `people`; who may do what is kept in `members`, which is ours.
 */

/** Where its operations lie. */
export const SIGN_IN_PATH = "/api/people/auth";

/** How long a session lasts without a visit. */
const SESSION_MS = 14 * DAY_MS;

export const PASSWORD = { min: 10, max: 128 } as const;

/** A sign-in that lasts. */
export type Session = { id: string; personId: string; name: string; email: string; createdAt: number };

export type Identity = {
  /** Answers a request to one of the paths below `SIGN_IN_PATH`. */
  answer(request: Request): Promise<Response>;
  /** The session of a cookie; null where there is none, or it has ended. */
  sessionOf(cookie: string): Promise<Session | null>;
};

/** What a password is kept as: scrypt with a salt of its own, computed off the event loop. */
export const passwordHash = (password: string): Promise<string> => hashPassword(password);

/** How the library is set up. Loads it, which takes 0.7 s and 31 MB: the first time a person comes. */
export async function identityOptions(app: App): Promise<BetterAuthOptions> {
  const { passkey } = await import("@better-auth/passkey");
  const origin = personOrigin(app.publicUrl(), app.config);
  return {
    appName: "Tidings",
    baseURL: origin,
    basePath: SIGN_IN_PATH,
    secret: sessionSecret(app),
    // Its tables are named with their schema: a `search_path` of the connection would not come through every pooler.
    database: { db: kyselyOfLibrary(app.database.people, "people"), type: "postgres" },
    telemetry: { enabled: false },
    // The platform has compared the origin by then: with the address that the browser asked, which may not be the public one.
    trustedOrigins: (request) => (request === undefined ? [] : [new URL(request.url).origin]),
    // Its own limit counts tries of an address, right ones too. `sign-in-tries.ts` has another.
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: true,
      // People come by a link that an owner made.
      disableSignUp: true,
      minPasswordLength: PASSWORD.min,
      maxPasswordLength: PASSWORD.max,
    },
    session: {
      expiresIn: SESSION_MS / SECOND_MS,
      updateAge: DAY_MS / SECOND_MS,
      freshAge: FRESH_MS / SECOND_MS,
    },
    advanced: {
      cookiePrefix: "tidings",
      useSecureCookies: origin.startsWith("https:"),
      // The dashboard is a static page, so a link from a mail opens it, and only then does it ask with the cookie.
      defaultCookieAttributes: { sameSite: "strict", httpOnly: true },
      database: { generateId: "uuid" },
      ipAddress: { disableIpTracking: true },
    },
    logger: {
      level: "warn",
      log: (level, message) => app.log[level === "error" ? "error" : "warn"]({ from: "sign-in" }, message),
    },
    plugins: [
      passkey({
        rpID: new URL(origin).hostname,
        rpName: "Tidings",
        origin,
        authenticatorSelection: { residentKey: "required" },
      }),
    ],
  };
}

async function load(app: App): Promise<Identity> {
  const [{ betterAuth }, options] = await Promise.all([import("better-auth"), identityOptions(app)]);
  const auth = betterAuth(options);
  return {
    answer: (request) => auth.handler(request),
    async sessionOf(cookie) {
      const found = await auth.api.getSession({
        headers: new Headers({ cookie }),
        // A session is prolonged by the visit of a page, which can take the new cookie.
        query: { disableRefresh: true },
      });
      if (found === null) return null;
      const { session, user } = found;
      return {
        id: session.id,
        personId: user.id,
        name: user.name,
        email: user.email,
        createdAt: session.createdAt.getTime(),
      };
    },
  };
}

/** The library, loaded when a person first comes. */
export const identity = resource((app) => {
  let loading: Promise<Identity> | null = null;
  return (): Promise<Identity> => {
    loading ??= load(app);
    return loading;
  };
});
