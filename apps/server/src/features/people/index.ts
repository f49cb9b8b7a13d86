import { aloneLoop } from "../../platform/alone-loop.ts";
import { DAY_MS, MINUTE_MS } from "../../platform/clock.ts";
import type { Feature } from "../../platform/feature.ts";
import { personNow as standing } from "../../platform/http/standing.ts";
import { plug } from "../../platform/runtime.ts";
import { peopleCommands } from "./commands/people.ts";
import { endSession } from "./end-session.ts";
import { getMe } from "./get-me.ts";
import { invitePerson } from "./invite-person.ts";
import { forgetOldLinksAcrossProjects } from "./link-store.ts";
import { listPeople } from "./list-people.ts";
import { listSessions } from "./list-sessions.ts";
import { makePasswordLink } from "./make-password-link.ts";
import { personNow } from "./person-now.ts";
import { readLink } from "./read-link.ts";
import { removePasskeys } from "./remove-passkeys.ts";
import { removePerson } from "./remove-person.ts";
import { forgetEndedAcrossProjects } from "./session-store.ts";
import { setPersonRole } from "./set-person-role.ts";
import { signInRoutes } from "./sign-in.ts";
import { useLink } from "./use-link.ts";
import { withdrawInvitation } from "./withdraw-invitation.ts";

/** Links that are over are kept for so long, so that their traces can be looked at. */
const KEPT_MS = 30 * DAY_MS;

const forgetEnded = aloneLoop({
  name: "forget sessions and links that have ended",
  // A stranger who asks for a challenge makes a row, which is over after five minutes.
  everyMs: MINUTE_MS,
  deletesByAge: true,
  async turn(app) {
    const now = app.clock();
    await forgetEndedAcrossProjects(app.database.kysely, now);
    await forgetOldLinksAcrossProjects(app.database.kysely, now - KEPT_MS);
  },
});

export const people: Feature = {
  endpoints: [
    readLink,
    useLink,
    getMe,
    listSessions,
    endSession,
    listPeople,
    invitePerson,
    withdrawInvitation,
    setPersonRole,
    makePasswordLink,
    removePasskeys,
    removePerson,
  ],
  routes: signInRoutes,
  loops: [forgetEnded],
  plugs: [plug(standing, personNow)],
  commands: peopleCommands,
};
