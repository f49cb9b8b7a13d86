import type { Db } from "../../../platform/db/db.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { type Loop, wake } from "../../../platform/loops/loops.ts";
import { projectLoop } from "../../../platform/loops/project-loop.ts";
import type { App } from "../../../platform/runtime.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { isDue } from "../../../platform/time/far-ahead.ts";
import { endByItself, lockPassed } from "../../campaigns/authoring/public.ts";
import { logRun } from "../../runs/public.ts";
import type { Cursor } from "../rules.ts";
import type { PageStart } from "./page.ts";
import { PlanFault } from "./plan-fault.ts";
import {
  ensureSweepsAcrossProjects,
  lookAgain,
  moveSweep,
  postponeSweep,
  type Sweep,
} from "./sweep-store.ts";

/** How long a turn goes on, page after page, while it finds no user to write to. */
const LOOK_MS = 250;
/** The pause after a sweep: this long, or twenty times as long as the sweep took, whichever is longer. */
const BETWEEN_SWEEPS_MS = MINUTE_MS;
const REST_PER_WORK = 20;
/** Projects that are swept at the same time, so that one with a slow audience does not stop the others. */
const AT_ONCE = 2;
/** How often a campaign that is sent once, and was through its audience, is looked at: it ends once all its messages are finished. */
const ENDING_LOOK_MS = 5 * SECOND_MS;
/** How long a campaign whose sweep failed backs off. The others go on. */
const AFTER_A_FAILURE_MS = 10 * SECOND_MS;

/** What came of a page. */
export type Swept = {
  /** The last user of the page; null where it was the last page. */
  until: Cursor;
  /** Whether there was something to write: then the sweep moves on at once, and looks at the next page in its next turn. */
  wrote: boolean;
  /** How many of them have an address that is not confirmed. */
  unconfirmed: number;
  /** Whether the page has to be gone through again: the campaign was paused or changed while it was written, or users were. */
  again: boolean;
};

/** What comes of the audience of a campaign that is gone. */
export const NO_USERS: Swept = { until: null, wrote: false, unconfirmed: 0, again: false };

/** What a channel does with the users of an audience. */
export type Sweeper = {
  channel: "email" | "push";
  /** Sends what was queued. It is woken, so that the first messages leave without a pause. */
  sendLoop: Loop;
  /**
   * Queues messages for users of a page who have no delivery of the campaign yet; a repeat queues none twice. The audience is read
   * together with the weights: minutes may have passed since the sweep was found.
   */
  queuePage(app: App, sweep: Sweep, place: PageStart): Promise<Swept>;
  /** Whether any message of a campaign is still to leave, is leaving, or waits for a person's decision. */
  hasOpen(db: Db, projectId: string, campaignId: string): Promise<boolean>;
  /**
   * Re-evaluates users who wait, for a device for instance; not of a campaign that is sent once. Answers whether any of them waits no more.
   */
  reevaluate?(app: App, sweep: Sweep): Promise<boolean>;
};

/** How far a sweep came, and whether it wrote to any user on the way. */
type Way = { to: Cursor | "end"; wrote: boolean };

/** Moves a sweep on: through a page with users to write to, or through pages without any for a while. */
async function sweepOn(app: App, sweeper: Sweeper, sweep: Sweep): Promise<Way> {
  const began = performance.now();
  let to: Cursor | "end" = sweep.cursor;
  let unconfirmed = 0;
  let wrote = false;
  for (let mayLook = true; mayLook && to !== "end"; ) {
    const page: Swept = await sweeper.queuePage(app, sweep, { after: to, evaluatedAt: app.clock() });
    wrote ||= page.wrote;
    if (page.again) break;
    unconfirmed += page.unconfirmed;
    to = page.until ?? "end";
    mayLook = !page.wrote && performance.now() - began < LOOK_MS;
  }
  if (to === sweep.cursor) return { to, wrote };
  const tookMs = Math.ceil(performance.now() - began);
  const restMs = Math.max(BETWEEN_SWEEPS_MS, (sweep.workedMs + tookMs) * REST_PER_WORK);
  const now = app.clock();
  const next = sweep.once
    ? { nextSweepAt: now, restMs: ENDING_LOOK_MS }
    : { nextSweepAt: now + restMs, restMs };
  await moveSweep(app.database.kysely, sweep, {
    cursor: to === "end" ? null : to,
    end: to === "end" ? { at: now, ...next } : null,
    tookMs,
    unconfirmed,
  });
  return { to, wrote };
}

/**
 * Ends a campaign that was through its audience, which was its only pass, if all its messages are finished. Answers false where they are
 * not.
 */
async function endIfFinished(app: App, sweeper: Sweeper, sweep: Sweep): Promise<boolean> {
  const { projectId, campaignId } = sweep;
  const { kysely } = app.database;
  const now = app.clock();
  // Asked without a lock first: as long as messages leave, those who write them need the campaign.
  if (await sweeper.hasOpen(kysely, projectId, campaignId)) {
    await lookAgain(kysely, sweep, { nextSweepAt: now + ENDING_LOOK_MS, restMs: ENDING_LOOK_MS });
    return false;
  }
  await kysely.transaction().execute(async (db) => {
    // Another process may still have been writing a page of the pass: its messages are there once the campaign is locked.
    if (!(await lockPassed(db, projectId, campaignId))) return;
    if (await sweeper.hasOpen(db, projectId, campaignId)) return;
    await endByItself({ db, projectId, now }, campaignId);
  });
  return true;
}

/** Does what is due of a sweep. Answers false where it was through the audience and wrote to no user: then nothing is left to do. */
async function sweepDue(app: App, sweeper: Sweeper, sweep: Sweep): Promise<boolean> {
  const { reevaluateAt, nextSweepAt, restMs } = sweep;
  const isTime = (at: number): boolean => isDue(at, app.clock(), restMs);
  if (sweep.isPassOver) return endIfFinished(app, sweeper, sweep);
  const isTimeForWaiting = !sweep.once && reevaluateAt !== null && isTime(reevaluateAt);
  const reached = isTimeForWaiting && ((await sweeper.reevaluate?.(app, sweep)) ?? false);
  if (!isTime(nextSweepAt)) return reached;
  const { to, wrote } = await sweepOn(app, sweeper, sweep);
  if (wrote) wake(app, sweeper.sendLoop);
  return reached || wrote || to !== "end";
}

/** Has a sweep that failed try again soon. A fault of the campaign itself is logged as a run, once for as long as it stands. */
async function tryAgain(app: App, sweep: Sweep, cause: unknown): Promise<void> {
  const { projectId, campaignId, goalId } = sweep;
  const now = app.clock();
  const again = { now, until: now + AFTER_A_FAILURE_MS };
  if (!(cause instanceof PlanFault)) return postponeSweep(app.database.kysely, sweep, again);
  const { message } = cause;
  await app.database.kysely.transaction().execute(async (db) => {
    if (sweep.fault !== message)
      await logRun(
        { db, projectId, now },
        {
          kind: "warning",
          goalId,
          campaignId,
          rationale: message,
          input: { reason: "not_planned" },
          output: { action: "wait" },
        },
      );
    await postponeSweep(db, sweep, again, message);
  });
}

/** Sweeps the audiences of running campaigns, and queues messages for new users. */
export const sweepLoop = (sweeper: Sweeper): Loop =>
  projectLoop({
    name: `plan ${sweeper.channel}`,
    atOnce: AT_ONCE,
    find: (app, look) => ensureSweepsAcrossProjects(app.database.kysely, sweeper.channel, "due", look),
    async turn(app, projectId, due) {
      let didSomething = false;
      for (const sweep of due) {
        const { campaignId } = sweep;
        try {
          if (await sweepDue(app, sweeper, sweep)) didSomething = true;
        } catch (cause) {
          app.log.error(
            { err: cause, projectId, campaignId },
            "a campaign could not be planned; it will be tried again",
          );
          await tryAgain(app, sweep, cause);
        }
      }
      return didSomething;
    },
  });

/**
 * Sweeps a running campaign at once, through its audience or until `withinMs` are over. The sweep loop does the rest.
 * @throws ApiError conflict where nothing can be decided about its users, which the sweep loop reports
 */
export async function sweepNow(
  app: App,
  sweeper: Sweeper,
  which: { projectId: string; campaignId: string },
  withinMs: number,
): Promise<void> {
  const until = performance.now() + withinMs;
  const find = () => {
    const now = app.clock();
    return ensureSweepsAcrossProjects(app.database.kysely, sweeper.channel, which, { now, until: now });
  };
  const [first] = await find();
  if (first === undefined || first.isPassOver) return;
  try {
    if (!first.once) await sweeper.reevaluate?.(app, first);
    for (let [sweep] = await find(); sweep !== undefined && performance.now() < until; [sweep] = await find())
      if (sweep.isPassOver || (await sweepOn(app, sweeper, sweep)).to === "end") return;
  } catch (cause) {
    if (cause instanceof PlanFault) throw new ApiError("conflict", cause.message);
    throw cause;
  }
}
