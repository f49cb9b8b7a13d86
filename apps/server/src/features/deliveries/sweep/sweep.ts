import type { UserRef } from "../../../domain/ids.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";
import type { Db } from "../../../platform/db/db.ts";
import { isDue } from "../../../platform/far-ahead.ts";
import type { Loop } from "../../../platform/loops.ts";
import { projectLoop } from "../../../platform/project-loop.ts";
import type { App } from "../../../platform/runtime.ts";
import { readStored } from "../../audience/language/parse/stored.pure.ts";
import type { AudienceExpression } from "../../audience/language/schema.ts";
import { endByItself, lockPassed } from "../../campaigns/authoring/public.ts";
import { type Cursor, nextCursor } from "../rules.ts";
import {
  ensureSweepsAcrossProjects,
  lookAgain,
  moveSweep,
  postponeSweep,
  type Sweep,
} from "./sweep-store.ts";

/** Users of one page. */
const PAGE = 2_000;
const LANES = 64;
/** The pause after a sweep: this long, or twenty times as long as the sweep took, whichever is longer. */
const BETWEEN_SWEEPS_MS = MINUTE_MS;
const REST_PER_WORK = 20;
/** Projects that are swept at the same time, so that one with a slow audience does not stop the others. */
const AT_ONCE = 2;
/** How often a campaign that is sent once, and was through its audience, is looked at: it ends once all its messages are settled. */
const ENDING_LOOK_MS = 5 * SECOND_MS;
/** How long a campaign whose sweep failed backs off. The others go on. */
const AFTER_A_FAILURE_MS = 10 * SECOND_MS;

/** Which users of an audience are on a page: those that match at an instant (epoch ms), by lane and key after a cursor. */
export type Place = { evaluatedAt: number; after: Cursor; limit: number };

/** The users of a page: those that match `expression` (null: all). */
export type AudiencePage = Place & { expression: AudienceExpression | null };

/** What a channel does with the users of an audience. */
export type Sweeper = {
  channel: "email" | "push";
  /**
   * Queues messages for users of a page who have no delivery of the campaign yet; a repeat queues none twice. The audience is read
   * together with the weights: minutes may have passed since the sweep was found. Answers the users of the page, how many of
   * them have an address that is not confirmed, and whether the page has to be gone through again: the campaign was paused or changed
   * while it was written.
   */
  queuePage(
    app: App,
    sweep: Sweep,
    place: Place,
  ): Promise<{ found: readonly UserRef[]; unconfirmed: number; again: boolean }>;
  /** Whether any message of a campaign is still to leave, is leaving, or waits for a person's decision. */
  hasOpen(db: Db, projectId: string, campaignId: string): Promise<boolean>;
  /** Re-evaluates users who wait, for a device for instance; not of a campaign that is sent once. */
  reevaluate?(app: App, sweep: Sweep): Promise<void>;
};

/** The place of a full page after a cursor. `evaluatedAt` is epoch milliseconds. */
export const placeAfter = (after: Cursor, evaluatedAt: number): Place => ({
  after,
  evaluatedAt,
  limit: PAGE,
});

/** A page of an audience as it is stored; null where it cannot be parsed, and so matches no user. */
export function audiencePage(audience: unknown, place: Place): AudiencePage | null {
  const stored = readStored(audience);
  if (stored.kind === "invalid") return null;
  return { ...place, expression: stored.kind === "all" ? null : stored.expression };
}

/** Sweeps the next page of a campaign's audience. */
async function sweepPage(app: App, sweeper: Sweeper, sweep: Sweep): Promise<Cursor | "end"> {
  const { cursor } = sweep;
  const began = performance.now();
  const { found, unconfirmed, again } = await sweeper.queuePage(app, sweep, placeAfter(cursor, app.clock()));
  if (again) return cursor;
  const to = nextCursor(cursor, found, PAGE);
  const tookMs = Math.ceil(performance.now() - began) * (cursor === null ? 1 : LANES);
  const restMs = Math.max(BETWEEN_SWEEPS_MS, tookMs * REST_PER_WORK);
  const now = app.clock();
  const next = sweep.once
    ? { nextSweepAt: now, restMs: ENDING_LOOK_MS }
    : { nextSweepAt: now + restMs, restMs };
  await moveSweep(app.database.kysely, sweep, {
    cursor: to === "end" ? null : to,
    end: to === "end" ? { at: now, ...next } : null,
    unconfirmed,
  });
  return to;
}

/** Ends a campaign that was through its audience, which was its only pass, if all its messages are settled. */
async function endIfSettled(app: App, sweeper: Sweeper, sweep: Sweep): Promise<void> {
  const { projectId, campaignId } = sweep;
  const { kysely } = app.database;
  const now = app.clock();
  // Asked without a lock first: as long as messages leave, those who write them need the campaign.
  if (await sweeper.hasOpen(kysely, projectId, campaignId)) {
    await lookAgain(kysely, sweep, { nextSweepAt: now + ENDING_LOOK_MS, restMs: ENDING_LOOK_MS });
    return;
  }
  await kysely.transaction().execute(async (db) => {
    // Another process may still have been writing a page of the pass: its messages are there once the campaign is locked.
    if (!(await lockPassed(db, projectId, campaignId))) return;
    if (await sweeper.hasOpen(db, projectId, campaignId)) return;
    await endByItself({ db, projectId, now }, campaignId);
  });
}

async function sweepDue(app: App, sweeper: Sweeper, sweep: Sweep): Promise<void> {
  const { reevaluateAt, nextSweepAt, restMs } = sweep;
  const isTime = (at: number): boolean => isDue(at, app.clock(), restMs);
  if (sweep.isPassOver) return endIfSettled(app, sweeper, sweep);
  if (!sweep.once && reevaluateAt !== null && isTime(reevaluateAt)) await sweeper.reevaluate?.(app, sweep);
  if (isTime(nextSweepAt)) await sweepPage(app, sweeper, sweep);
}

/** Sweeps the audiences of running campaigns, and queues messages for new users. */
export const sweepLoop = (sweeper: Sweeper): Loop =>
  projectLoop({
    name: `plan ${sweeper.channel}`,
    atOnce: AT_ONCE,
    find: (app) => ensureSweepsAcrossProjects(app.database.kysely, sweeper.channel, "due", app.clock()),
    async turn(app, projectId, due) {
      for (const sweep of due) {
        const { campaignId } = sweep;
        try {
          await sweepDue(app, sweeper, sweep);
        } catch (cause) {
          app.log.error(
            { err: cause, projectId, campaignId },
            "a campaign could not be planned; it will be tried again",
          );
          const now = app.clock();
          await postponeSweep(app.database.kysely, sweep, { now, until: now + AFTER_A_FAILURE_MS });
        }
      }
      return true;
    },
  });

/** Sweeps a running campaign at once, through its audience or until `withinMs` are over. The sweep loop does the rest. */
export async function sweepNow(
  app: App,
  sweeper: Sweeper,
  which: { projectId: string; campaignId: string },
  withinMs: number,
): Promise<void> {
  const until = performance.now() + withinMs;
  const find = () => ensureSweepsAcrossProjects(app.database.kysely, sweeper.channel, which, app.clock());
  const [first] = await find();
  if (first === undefined || first.isPassOver) return;
  if (!first.once) await sweeper.reevaluate?.(app, first);
  for (let [sweep] = await find(); sweep !== undefined && performance.now() < until; [sweep] = await find())
    if (sweep.isPassOver || (await sweepPage(app, sweeper, sweep)) === "end") return;
}
