import { loop } from "../../platform/loops/loops.ts";
import { wakeAfterDelta } from "../counting/rollups/public.ts";
import {
  areMovingAcrossProjects,
  lockMovingLinkAcrossProjects,
  updateLink,
} from "../users/identities/public.ts";
import { moveEvents } from "./merge-visitor.ts";

const LOOK_AGAIN_MS = 500;

/** Moves the remaining events of visitors who had very many when they became users. */
export const moveEventsLoop = loop({
  name: "move events of visitors",
  restMs: LOOK_AGAIN_MS,
  async turn(app) {
    const { kysely } = app.database;
    if (!(await areMovingAcrossProjects(kysely))) return false;
    const did = await kysely.transaction().execute(async (tx) => {
      const link = await lockMovingLinkAcrossProjects(tx);
      if (link === null) return false;
      const { dropped, isMore } = await moveEvents(app, tx, link, app.clock());
      await updateLink(tx, link.projectId, link.visitor, { units: 0, dropped, isMoving: isMore });
      return true;
    });
    if (did) wakeAfterDelta(app);
    return did;
  },
});
