import type { Db } from "../../platform/db/db.ts";
import { loop } from "../../platform/loops/loops.ts";
import { wakeAfterDelta } from "../counting/rollups/public.ts";
import { eraseEventPage } from "../users/events/public.ts";
import { areErasingAcrossProjects, deleteErasingUser, lockErasingUserAcrossProjects } from "./store.ts";

const LOOK_AGAIN_MS = 500;

/**
 * Deletes a page of the events of erased users, of one project or of all, in its own transaction: after a crash, the next turn of any
 * process goes on.
 * @returns whether there was anything to do
 */
async function eraseNextPage(db: Db, projectId: string | null, limit: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const user = await lockErasingUserAcrossProjects(tx, projectId);
    if (user === null) return false;
    if (await eraseEventPage(tx, user.projectId, user, limit)) await deleteErasingUser(tx, user);
    return true;
  });
}

/** Deletes all remaining events of a project's erased users. @param limit how many events a transaction deletes */
export async function finishErasing(db: Db, projectId: string, limit: number): Promise<void> {
  while (await eraseNextPage(db, projectId, limit));
}

/** Deletes the remaining events of erased users who had very many, so that the erasure itself stays short. */
export const eraseEventsLoop = loop({
  name: "erase events",
  restMs: LOOK_AGAIN_MS,
  async turn(app) {
    const { kysely } = app.database;
    if (!(await areErasingAcrossProjects(kysely))) return false;
    const did = await eraseNextPage(kysely, null, app.config.limits.eventsErasedAtOnce);
    if (did) wakeAfterDelta(app);
    return did;
  },
});
