import { isUnreachable } from "../../platform/db/db.ts";
import { aloneLoop } from "../../platform/loops/alone-loop.ts";
import type { App } from "../../platform/runtime.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../platform/time/clock.ts";
import { transactionalSettings } from "../email/sender/settings.pure.ts";
import { readSome } from "../settings/public.ts";
import { findWithOldDataAcrossProjects, forgetOldData, forgetSealedAcrossProjects } from "./forget-store.ts";

/** The most mails of one transaction. */
const PIECE = 500;
const TURN_MS = 300 * SECOND_MS;
/** The shortest time for which a project may keep what its mails were filled with. */
const LEAST_MS = DAY_MS;

async function forgetSome(app: App, projectId: string): Promise<boolean> {
  const { kysely } = app.database;
  const { "send.keepDays": days } = await readSome(kysely, projectId, transactionalSettings, [
    "send.keepDays",
  ]);
  const before = app.clock() - days * DAY_MS;
  return (await forgetOldData(kysely, projectId, { before, limit: PIECE })) === PIECE;
}

/** Deletes what transactional mails were filled with, once they are older than their projects keep it (`send.keepDays`). */
export async function forgetOldMail(app: App, signal?: AbortSignal): Promise<void> {
  const until = performance.now() + TURN_MS;
  let projects = await findWithOldDataAcrossProjects(app.database.kysely, app.clock() - LEAST_MS);
  while (projects.length > 0 && performance.now() < until && !signal?.aborted) {
    const unfinished: string[] = [];
    for (const projectId of projects) {
      try {
        if (await forgetSome(app, projectId)) unfinished.push(projectId);
      } catch (cause) {
        if (isUnreachable(cause)) throw cause;
        app.log.error({ err: cause, projectId }, "old mail of a project could not be forgotten now");
      }
    }
    projects = unfinished;
  }
}

/** Deletes what sensitive mails were filled with, as soon as they have reached their end. */
export async function forgetSealed(app: App, signal?: AbortSignal): Promise<void> {
  for (let isMore = true; isMore && !signal?.aborted; )
    isMore = (await forgetSealedAcrossProjects(app.database.kysely, PIECE)) === PIECE;
}

export const forgetMailLoop = aloneLoop({
  name: "forget receipts",
  everyMs: 10 * MINUTE_MS,
  deletesByAge: true,
  turn: forgetOldMail,
});

export const forgetSealedLoop = aloneLoop({
  name: "forget sensitive receipts",
  everyMs: 10 * SECOND_MS,
  turn: forgetSealed,
});
