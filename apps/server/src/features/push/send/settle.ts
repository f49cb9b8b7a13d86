import { allEnded } from "../../../platform/claims.ts";
import { processes } from "../../../platform/processes.ts";
import { projectLoop } from "../../../platform/project-loop.ts";
import { settle } from "../rules.ts";
import { closeEnded, findEndedPlansAcrossProjects, notePlanClosed } from "./close-store.ts";
import { findLostAttemptsAcrossProjects } from "./outcome-store.ts";
import { outcomeOf, recordOutcome } from "./outcomes.ts";

const PAGE = 500;
const LOOK_AGAIN_MS = 2_000;

/**
 * Gives up attempts whose reservation is over: whether the push left is not known. Those of a process that is gone are over at
 * once.
 */
export const settleLoop = projectLoop({
  name: "settle push",
  restMs: LOOK_AGAIN_MS,
  find: (app, busy) =>
    findLostAttemptsAcrossProjects(app.database.hotPool, app.clock(), app.get(processes).reapable(), {
      ...{ busy, limit: PAGE },
    }),
  async turn(app, _projectId, lost) {
    const now = app.clock();
    await allEnded(
      lost.map(({ isTest, credentialId, credentialRevision, tokenRevision, ...attempt }) => {
        const slot = { ...attempt, isTest, attempts: attempt.ordinal, repair: null };
        const captured = { fingerprint: "", credentialId, credentialRevision, tokenRevision };
        const step = settle(
          slot,
          { kind: "unknown", code: "connection_lost" },
          { now, chance: Math.random(), captured },
        );
        return recordOutcome(app, outcomeOf(attempt, null, step, now, null));
      }),
    );
    return true;
  },
});

/** Closes what is open of campaigns that have ended. */
export const closeLoop = projectLoop({
  name: "close push",
  restMs: LOOK_AGAIN_MS,
  find: (app) => findEndedPlansAcrossProjects(app.database.kysely),
  async turn(app, projectId, plans) {
    const { kysely } = app.database;
    let didSomething = false;
    let failure: { cause: unknown } | null = null;
    for (const { campaignId } of plans) {
      try {
        const { closed, isDone } = await closeEnded(kysely, projectId, campaignId, PAGE);
        didSomething ||= closed > 0;
        if (isDone) await notePlanClosed(kysely, projectId, campaignId, app.clock());
      } catch (cause) {
        failure ??= { cause };
      }
    }
    if (failure !== null) throw failure.cause;
    return didSomething;
  },
});
