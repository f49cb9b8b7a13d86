import { hash } from "node:crypto";
import { afterAddressBudget, peopleRequests } from "../../../platform/http/budgets/address-budget.ts";
import type { Recognise } from "../../../platform/http/contract/person.ts";
import { remember } from "../../../platform/remember.ts";
import { resource } from "../../../platform/runtime.ts";
import { SECOND_MS } from "../../../platform/time/clock.ts";
import { roleAt } from "../person-now.ts";
import { findStanding, type PersonStanding } from "../store.ts";
import { identity, type Session } from "./identity.ts";
import { genuineCookie, sessionCookieIn } from "./session-cookie.ts";

/** How long a session and a role are believed. A person who is signed out, removed or given a lower role feels it within this time. */
const BELIEVED_MS = 5 * SECOND_MS;
const MAX_REMEMBERED = 10_000;

/** Finds who a cookie belongs to, and what they may do in a project. */
export const recogniser = resource((app): Recognise => {
  const bounds = { clock: app.clock, max: MAX_REMEMBERED, believedMs: BELIEVED_MS };
  const sessions = remember<Session, null>({
    ...bounds,
    load: async (cookie) => (await app.get(identity)()).sessionOf(cookie),
  });
  const standings = remember<PersonStanding, null>({
    ...bounds,
    load(name) {
      const [personId = "", projectId] = name.split(" ");
      return findStanding(app.database.lookups.kysely, personId, projectId ?? null);
    },
  });

  /**
   * Looks up a cookie that is not remembered. One that worked before costs nothing; any other one is a session that has ended or was never
   * seen here, which has a budget of its own: strangers have no cookie that this server signed, so they take nothing from others.
   */
  async function sessionOf(cookie: string): Promise<Session | null> {
    const believed = sessions.believed(cookie);
    if (believed !== undefined) return believed;
    if (sessions.kept(cookie) !== undefined) return sessions.load(cookie).answer;
    const budget = app.get(peopleRequests);
    const name = hash("sha256", cookie);
    afterAddressBudget(budget.take(name, app.clock()));
    const session = await sessions.load(cookie).answer;
    if (session !== null) budget.refund(name);
    return session;
  }

  return async (cookies, projectId) => {
    const given = sessionCookieIn(cookies);
    const cookie = given === null ? null : app.get(genuineCookie)(given);
    const session = cookie === null ? null : await sessionOf(cookie);
    if (session === null) return null;
    const { personId, name, email, id: sessionId, createdAt: signedInAt } = session;
    const standing = await standings.get(projectId === null ? personId : `${personId} ${projectId}`);
    if (standing === null) return null;
    const { organizationId, isOperator } = standing;
    const role = roleAt(standing, projectId);
    return { id: personId, name, email, organizationId, role, isOperator, sessionId, signedInAt };
  };
});
