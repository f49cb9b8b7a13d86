import { isUnreachable } from "../../platform/db/db.ts";
import { again } from "../../platform/db/transactions/again.ts";
import { aloneLoop } from "../../platform/loops/alone-loop.ts";
import type { App } from "../../platform/runtime.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../platform/time/clock.ts";
import { erase } from "../erasure/public.ts";
import { readSome } from "../settings/public.ts";
import { visitorSettings } from "../users/identities/settings.pure.ts";
import { findLongGone, findVisitedAcrossProjects, isStillGone } from "./forget-store.ts";

/** How many visitors of a project are erased before the next project's. */
const PIECE = 200;

/** How long one turn goes on; the next one continues where it ended. */
const TURN_MS = 300 * SECOND_MS;

/** The shortest time for which a project may keep visitors. */
const LEAST_MS = DAY_MS;

/** Erases some of a project's visitors who have not come back, each in a transaction. Answers whether there may be more. */
async function forgetSome(app: App, projectId: string, signal?: AbortSignal): Promise<boolean> {
  const { kysely } = app.database;
  const now = app.clock();
  const { "visitors.keepDays": days } = await readSome(kysely, projectId, visitorSettings, [
    "visitors.keepDays",
  ]);
  const before = now - days * DAY_MS;
  const gone = await findLongGone(kysely, projectId, { before, limit: PIECE });
  for (const visitor of gone) {
    if (signal?.aborted) return false;
    await again(() =>
      kysely.transaction().execute(async (tx) => {
        if (await isStillGone(tx, projectId, visitor, before))
          await erase(app, tx, { projectId, now }, visitor);
      }),
    );
  }
  return gone.length === PIECE;
}

/** Erases the visitors who have not come back for as long as their projects keep visitors (`visitors.keepDays`), some of each project in turn. */
export async function forgetVisitors(app: App, signal?: AbortSignal): Promise<void> {
  const until = performance.now() + TURN_MS;
  let projects = await findVisitedAcrossProjects(app.database.kysely, app.clock() - LEAST_MS);
  while (projects.length > 0 && performance.now() < until && !signal?.aborted) {
    const unfinished: string[] = [];
    for (const projectId of projects) {
      try {
        if (await forgetSome(app, projectId, signal)) unfinished.push(projectId);
      } catch (cause) {
        if (isUnreachable(cause)) throw cause;
        app.log.error({ err: cause, projectId }, "visitors of a project could not be erased now");
      }
    }
    projects = unfinished;
  }
}

export const forgetVisitorsLoop = aloneLoop({
  name: "forget visitors",
  everyMs: 10 * MINUTE_MS,
  deletesByAge: true,
  turn: forgetVisitors,
});
