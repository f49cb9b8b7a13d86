import { inTransaction } from "../../../../platform/db/db.ts";
import { aloneLoop } from "../../../../platform/loops/alone-loop.ts";
import { LONGEST_REST_MS } from "../../../../platform/loops/rest.ts";
import type { App } from "../../../../platform/runtime.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import { endRetiming } from "../../authoring/public.ts";
import { lookAt } from "../entering/entering.ts";
import { readTriggersAcrossProjects } from "../entering/trigger-store.ts";
import { type DuePlace, makeDue } from "../entry-store.ts";
import { attempts } from "../resting.ts";
import { AT_ONCE } from "../rules.ts";
import {
  type DueJourney,
  findDueJourneysAcrossProjects,
  type MovingJourney,
  readMovingAcrossProjects,
} from "../store.ts";
import { leaveWith } from "./leaving.ts";
import { moveDue } from "./moving.ts";

/** How many users are looked at when a wait was changed, in one statement. */
const RETIMED_AT_ONCE = 5_000;
/** The place behind the one who is due last. */
const LAST: DuePlace = {
  dueAt: Number.MAX_SAFE_INTEGER,
  lane: 32_767,
  userKey: "ffffffff-ffff-ffff-ffff-ffffffffffff",
};

const { attempt, restingNow } = attempts();

/** Has journeys look at the events that came since the last turn. */
async function lookAtEvents(app: App, signal: AbortSignal): Promise<void> {
  const { kysely } = app.database;
  while (!signal.aborted) {
    const which = { except: restingNow(app), limit: AT_ONCE };
    const triggers = await readTriggersAcrossProjects(kysely, which);
    if (triggers.length === 0) return;
    const byJourney = Map.groupBy(triggers, ({ journeyId }) => journeyId);
    const journeys = await readMovingAcrossProjects(kysely, [...byJourney.keys()]);
    for (const [journeyId, some] of byJourney) {
      const journey = journeys.find(({ id }) => id === journeyId);
      await attempt(app, journeyId, () => lookAt(app, journey, some));
    }
  }
}

/** Makes all users due who are at waits that were changed: their walk says when their wait is over now. */
async function retime(app: App, { id: journeyId, projectId, version, retimedSteps: steps }: MovingJourney) {
  const { hotPool, kysely } = app.database;
  const terms = { projectId, journeyId, steps, now: app.clock(), limit: RETIMED_AT_ONCE };
  for (let place: DuePlace | undefined = LAST; place !== undefined; ) {
    const { dueAt, lane, userKey }: DuePlace = place;
    [place] = await inTransaction(hotPool, (client) => makeDue(client, { ...terms, dueAt, lane, userKey }));
  }
  await endRetiming(kysely, projectId, journeyId, version);
}

/** Moves some users of a journey who are due, or has some leave where it has ended. */
async function goOn(app: App, journeyId: string): Promise<void> {
  const [journey] = await readMovingAcrossProjects(app.database.kysely, [journeyId]);
  if (journey?.status === "ended") await leaveWith(app, journey);
  if (journey?.status !== "running") return;
  if (journey.retimedSteps.length > 0) await retime(app, journey);
  await moveDue(app, journey);
}

/** The journeys for which there is something to do now, or before a loop has rested for as long as it may. */
async function look(app: App): Promise<{ now: number; due: DueJourney[] }> {
  const now = app.clock();
  const { kysely } = app.database;
  return { now, due: await findDueJourneysAcrossProjects(kysely, { now, until: now + LONGEST_REST_MS }) };
}

/**
 * Lets users into journeys, and moves those who are due. One process does it at a time: the events of a user are looked at in their
 * order, and a user is moved once.
 */
export const moveLoop = aloneLoop({
  name: "move journeys",
  everyMs: SECOND_MS,
  async turn(app, signal) {
    // In turns, so that a journey with very many users keeps neither others nor events waiting.
    for (;;) {
      await lookAtEvents(app, signal);
      const rest = new Set(restingNow(app));
      const { now, due } = await look(app);
      const ready = due.filter(({ id, dueAt }) => dueAt <= now && !rest.has(id));
      for (const { id } of ready) if (!signal.aborted) await attempt(app, id, () => goOn(app, id));
      if (ready.length === 0 || signal.aborted) return Math.min(...due.map(({ dueAt }) => dueAt));
    }
  },
});
