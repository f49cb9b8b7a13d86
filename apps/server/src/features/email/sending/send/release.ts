import { projectLoop } from "../../../../platform/loops/project-loop.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import { readSome } from "../../../settings/public.ts";
import { emailSettings } from "../../sender/settings.pure.ts";
import { CAP_SETTINGS, postponingCap } from "../gates/cap.ts";
import { findPostponedAcrossProjects, type PostponedQueue, releasePostponed } from "./send-store.ts";

/** Few enough that other transactions hardly wait for their rows. */
const AT_ONCE = 1_000;

/**
 * Makes mail due that was postponed for a cap which the project does not have any more, so that it is decided about by the rule of now. It
 * compares what each message waits for with the settings, and needs no word of their change: one that was postponed by settings which were
 * read just before is found as well.
 */
export const releaseLoop = projectLoop<PostponedQueue>({
  name: "release postponed mail",
  restMs: SECOND_MS,
  find: (app, { now }) => findPostponedAcrossProjects(app.database.kysely, now),
  async turn(app, projectId, queues, signal) {
    const { kysely } = app.database;
    const cap = postponingCap(await readSome(kysely, projectId, emailSettings, CAP_SETTINGS));
    let didSomething = false;
    for (const queue of queues.filter(({ first, last }) => first !== cap || last !== cap)) {
      if (signal.aborted) break;
      const released = await releasePostponed(kysely, queue, { cap, now: app.clock(), limit: AT_ONCE });
      if (released > 0) didSomething = true;
    }
    return didSomething;
  },
});
