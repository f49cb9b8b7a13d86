import { SECOND_MS } from "../../platform/clock.ts";
import { afterAddressBudget, unknownKeys } from "../../platform/http/address-budget.ts";
import type { Recognise } from "../../platform/http/person.ts";
import { remember } from "../../platform/remember.ts";
import type { App } from "../../platform/runtime.ts";
import { identity, type Session } from "./identity.ts";
import { roleAt } from "./person-now.ts";
import { findStanding, type Standing } from "./store.ts";

/** How long a session and a role are believed. A person who is signed out, removed or given a lower role feels it within this time. */
const BELIEVED_MS = 5 * SECOND_MS;
const MAX_REMEMBERED = 10_000;

/** The cookie of a session among those of a request. */
const SESSION_COOKIE = /(?:^|;\s*)((?:__Secure-)?tidings\.session_token=[^;]{1,1000})/;

export const sessionCookieIn = (cookies: string): string | null => SESSION_COOKIE.exec(cookies)?.[1] ?? null;

/** Finds who a cookie belongs to, and what they may do in a project. */
export function recogniser(app: App): Recognise {
  const bounds = { clock: app.clock, max: MAX_REMEMBERED, believedMs: BELIEVED_MS };
  const sessions = remember<Session, null>({
    ...bounds,
    load: async (cookie) => (await app.get(identity)()).sessionOf(cookie),
  });
  const standings = remember<Standing, null>({
    ...bounds,
    load(name) {
      const [personId = "", projectId] = name.split(" ");
      return findStanding(app.database.lookups.kysely, personId, projectId ?? null);
    },
  });

  /** Looks up a cookie that is not remembered, out of the budget for keys that do not exist. */
  async function sessionOf(cookie: string, { ip }: { readonly ip: string }): Promise<Session | null> {
    const believed = sessions.believed(cookie);
    if (believed !== undefined) return believed;
    const budget = app.get(unknownKeys);
    afterAddressBudget(budget.take(ip, app.clock()));
    const session = await sessions.load(cookie).answer;
    if (session !== null) budget.refund(ip);
    return session;
  }

  return async (cookies, projectId, asker) => {
    const cookie = sessionCookieIn(cookies);
    const session = cookie === null ? null : await sessionOf(cookie, asker);
    if (session === null) return null;
    const { personId, name, email, id: sessionId, createdAt: signedInAt } = session;
    const standing = await standings.get(projectId === null ? personId : `${personId} ${projectId}`);
    if (standing === null) return null;
    const { organizationId, isOperator } = standing;
    const role = roleAt(standing, projectId);
    return { id: personId, name, email, organizationId, role, isOperator, sessionId, signedInAt };
  };
}
