import { loop } from "../../../platform/loops.ts";
import { presence } from "../../../platform/presence.ts";
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
export const settleLoop = loop({
  name: "settle push",
  restMs: LOOK_AGAIN_MS,
  async turn(app) {
    const now = app.clock();
    const lost = await findLostAttemptsAcrossProjects(
      app.database.hotPool,
      now,
      app.get(presence).judge(),
      PAGE,
    );
    await Promise.all(
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
    return lost.length > 0;
  },
});

/** Closes what is open of campaigns that have ended. */
export const closeLoop = loop({
  name: "close push",
  restMs: LOOK_AGAIN_MS,
  async turn(app) {
    const { kysely } = app.database;
    const plans = await findEndedPlansAcrossProjects(kysely);
    let didSomething = false;
    for (const { projectId, campaignId } of plans) {
      const { closed, isDone } = await closeEnded(kysely, projectId, campaignId, PAGE);
      didSomething ||= closed > 0;
      if (isDone) await notePlanClosed(kysely, projectId, campaignId, app.clock());
    }
    return didSomething;
  },
});
