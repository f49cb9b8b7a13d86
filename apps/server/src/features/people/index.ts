import type { Feature } from "../../domain/feature.ts";
import { personNow as standing } from "../../platform/http/admission/standing.ts";
import { auditedActs } from "../../platform/http/audit.ts";
import { aloneLoop } from "../../platform/loops/alone-loop.ts";
import { plug } from "../../platform/runtime.ts";
import { DAY_MS, MINUTE_MS } from "../../platform/time/clock.ts";
import { peopleCommands } from "./commands/people.ts";
import { getMe } from "./get-me.ts";
import { invitePerson } from "./links/invite-person.ts";
import { forgetOldLinksAcrossProjects } from "./links/link-store.ts";
import { makePasswordLink } from "./links/make-password-link.ts";
import { readLink } from "./links/read-link.ts";
import { useLink } from "./links/use-link.ts";
import { withdrawInvitation } from "./links/withdraw-invitation.ts";
import { listPeople } from "./list-people.ts";
import { personNow } from "./person-now.ts";
import { removePerson } from "./remove-person.ts";
import { setPersonRole } from "./set-person-role.ts";
import { peopleSettingGroup } from "./settings.pure.ts";
import { endSession } from "./sign-in/end-session.ts";
import { listSessions } from "./sign-in/list-sessions.ts";
import { removePasskeys } from "./sign-in/remove-passkeys.ts";
import { forgetEndedAcrossProjects } from "./sign-in/session-store.ts";
import { accountActs, signInRoutes } from "./sign-in/sign-in.ts";
import { tables } from "./tables.pure.ts";

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
  room: "people",
  tables,
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
  settings: [peopleSettingGroup],
  routes: signInRoutes,
  loops: [forgetEnded],
  plugs: [plug(standing, personNow), plug(auditedActs, accountActs)],
  commandGroups: { people: "invite, list and remove people, and let them back in" },
  commands: peopleCommands,
  tags: { People: "Who may sign in, and what they may do." },
};
