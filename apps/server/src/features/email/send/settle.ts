import { allEnded } from "../../../platform/claims.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import { processes } from "../../../platform/processes.ts";
import { projectLoop } from "../../../platform/project-loop.ts";
import { readSettings } from "../../settings/public.ts";
import { CLAIM_MS, inHand } from "./claim.ts";
import { findLostAttemptsAcrossProjects } from "./outcome-store.ts";
import { recordOutcome } from "./outcomes.ts";

const PAGE = 500;
const LOOK_AGAIN_MS = 2_000;
/** So long after a claim its process has it in its hands, or never learned of it: the answer of the database was lost. */
const FORGOTTEN_AFTER_MS = 30 * SECOND_MS;

const UNSENT = { kind: "unsent", status: "waiting", response: "" } as const;
const UNKNOWN = {
  ...({ kind: "unknown", status: "unknown" } as const),
  response: "the sender stopped before the mail server answered",
};

/**
 * Gives up claims that are over. Of an attempt that was begun it is not known whether the message left: it is not sent again by
 * itself. One that was not begun goes back into the queue. Those of a process that is gone are over at once, those that this one has
 * forgotten after half a minute.
 */
export const settleLoop = projectLoop({
  name: "settle email",
  restMs: LOOK_AGAIN_MS,
  find(app, busy) {
    const now = app.clock();
    const { leaseOwner, reapable } = app.get(processes);
    const own = {
      ...{ fence: leaseOwner(), held: [...app.get(inHand)] },
      forgottenUntil: now + CLAIM_MS - FORGOTTEN_AFTER_MS,
    };
    return findLostAttemptsAcrossProjects(app.database.hotPool, now, reapable(), own, { busy, limit: PAGE });
  },
  async turn(app, projectId, lost) {
    const settings = await readSettings(app.database.kysely, app.secrets, projectId);
    const now = app.clock();
    await allEnded(
      lost.map((attempt) =>
        recordOutcome(app, {
          ...attempt,
          ...(attempt.ordinal === null ? UNSENT : UNKNOWN),
          ...{ code: null, dueAt: null, at: now },
          capHours: settings["email.capHours"],
          ...{ bounced: false, acceptedIsDelivered: false },
        }),
      ),
    );
    return true;
  },
});
