import { isUnreachable } from "../../../platform/db/db.ts";
import { aloneLoop } from "../../../platform/loops/alone-loop.ts";
import type { App } from "../../../platform/runtime.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { wakeAfterDelta } from "../../counting/rollups/public.ts";
import { readSome } from "../../settings/public.ts";
import { findWithRetentionAcrossProjects, retireEvents } from "./retire-store.ts";
import { eventSettings } from "./settings.pure.ts";

/** The most events that one transaction deletes: few enough that other statements hardly wait for its locks. */
const PIECE = 1_000;

/** How long one turn goes on; the next one continues where it ended. */
const TURN_MS = 300 * SECOND_MS;

/** Deletes a piece of the events that are older than a project keeps them, and answers whether there may be more. */
async function retirePiece(app: App, projectId: string): Promise<boolean> {
  const { kysely } = app.database;
  const { "retention.eventsDays": days } = await readSome(kysely, projectId, eventSettings, [
    "retention.eventsDays",
  ]);
  if (days === null) return false;
  const retired = await retireEvents(kysely, projectId, {
    before: app.clock() - days * DAY_MS,
    limit: PIECE,
  });
  if (retired > 0) wakeAfterDelta(app);
  return retired === PIECE;
}

/**
 * Deletes the events that are older than their projects keep them (`retention.eventsDays`), a piece of each project in turn. May be
 * stopped anywhere: each piece is one transaction, and the next turn finds what is left.
 */
export async function retireOldEvents(app: App, signal?: AbortSignal): Promise<void> {
  const until = performance.now() + TURN_MS;
  let projects = await findWithRetentionAcrossProjects(app.database.kysely);
  while (projects.length > 0 && performance.now() < until && !signal?.aborted) {
    const unfinished: string[] = [];
    for (const projectId of projects) {
      try {
        if (await retirePiece(app, projectId)) unfinished.push(projectId);
      } catch (cause) {
        if (isUnreachable(cause)) throw cause;
        app.log.error({ err: cause, projectId }, "old events of a project could not be deleted now");
      }
    }
    projects = unfinished;
  }
}

export const retireLoop = aloneLoop({
  name: "retire events",
  everyMs: 10 * MINUTE_MS,
  deletesByAge: true,
  turn: retireOldEvents,
});
