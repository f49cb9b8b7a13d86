import { inTransaction } from "../../../../platform/db/db.ts";
import { aloneLoop } from "../../../../platform/loops/alone-loop.ts";
import { wake } from "../../../../platform/loops/loops.ts";
import { LONGEST_REST_MS } from "../../../../platform/loops/rest.ts";
import type { App } from "../../../../platform/runtime.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../../platform/time/clock.ts";
import { readPage } from "../../../deliveries/public.ts";
import type { Cursor } from "../../../deliveries/rules.ts";
import { type Fill, findFillsAcrossProjects, moveFill, occurrenceAfter } from "../../authoring/public.ts";
import type { Definition } from "../../authoring/schema.ts";
import { readDefinition } from "../../authoring/stored.pure.ts";
import { firstPlace } from "../../authoring/walk.pure.ts";
import { insertEntries, lockLastEntries } from "../entry-store.ts";
import { newEntry } from "../movements.ts";
import { attempts } from "../resting.ts";
import { isStill, type MovingJourney, readMovingAcrossProjects } from "../store.ts";
import { moveLoop } from "../walking/mover.ts";
import { drawOf } from "./arms.ts";
import { barredBy } from "./entering.ts";
import { findEntering } from "./filling-store.ts";

/** How long a turn of a journey goes on, page after page, while no user enters. */
const LOOK_MS = 250;
/** The pause between two ways through an audience that lets users in at all times: this long, or twenty times as long as one took. */
const BETWEEN_WAYS_MS = MINUTE_MS;
const REST_PER_WORK = 20;

const { attempt, restingNow } = attempts();

/** When an audience is gone through next after a way through it that took so long (ms). */
function nextWay({ entry }: Definition, workedMs: number, now: number): number {
  if (entry.on === "schedule") return occurrenceAfter(entry, now);
  return now + Math.max(BETWEEN_WAYS_MS, workedMs * REST_PER_WORK);
}

/**
 * Lets users of the next page of its audience into a journey, and moves on in it, in one transaction. Answers the last user of the page, null
 * behind the last page, and whether anybody entered; nothing where the journey was changed meanwhile.
 */
async function fillPage(
  app: App,
  journey: MovingJourney,
  definition: Definition,
  { after, workedMs }: Pick<Fill, "after" | "workedMs">,
): Promise<{ until: Cursor; entered: boolean; workedMs: number } | null> {
  const began = performance.now();
  const { id: journeyId, projectId } = journey;
  const { kysely, hotPool } = app.database;
  const now = app.clock();
  const place = { after, evaluatedAt: now };
  const page = await readPage(kysely, projectId, definition.audience ?? { kind: "all" }, place);
  const { until } = page.range;
  const since = definition.again === null ? null : now - definition.again.afterDays * DAY_MS;
  const found = await findEntering(kysely, projectId, journeyId, page, since);
  const first = firstPlace(definition, now);
  return inTransaction(hotPool, async (client) => {
    if (!(await isStill(client, journey))) return null;
    const draw = found.length === 0 ? null : await drawOf(client, journey, definition, now);
    const ofJourney = found.map((user) => ({ ...user, projectId, journeyId }));
    const locked = ofJourney.length === 0 ? [] : await lockLastEntries(client, ofJourney);
    const last = new Map(locked.map((entry) => [entry.userKey, entry]));
    const entries = found.flatMap((user) => {
      const before = last.get(user.userKey);
      const isBarred = first === null || barredBy(definition, before, now) !== null;
      return isBarred ? [] : [newEntry(journey, user, before, first, draw, null)];
    });
    if (entries.length > 0) await insertEntries(client, entries);
    const worked = workedMs + Math.ceil(performance.now() - began);
    const dueAt = until === null ? nextWay(definition, worked, now) : now;
    await moveFill(client, {
      journeyId,
      projectId,
      fromLane: after?.lane ?? null,
      fromUser: after?.userKey ?? null,
      lane: until?.lane ?? null,
      userKey: until?.userKey ?? null,
      dueAt,
      restMs: dueAt - now,
      workedMs: until === null ? 0 : worked,
    });
    return { until, entered: entries.length > 0, workedMs: worked };
  });
}

/** Goes on in the audience of a journey: through a page with users who enter, or through pages without any for a while. */
async function fillOn(app: App, fill: Fill): Promise<void> {
  const { kysely, hotPool } = app.database;
  const [journey] = await readMovingAcrossProjects(kysely, [fill.journeyId]);
  const definition = journey === undefined ? null : readDefinition(journey.definition);
  if (journey?.status !== "running") return;
  if (definition === null) throw new Error("The definition of a journey cannot be read.");
  const now = app.clock();
  if (fill.isFar && definition.entry.on === "schedule") {
    // A clock that was ahead has set its next occurrence, which is another one.
    const dueAt = occurrenceAfter(definition.entry, now);
    const from = { fromLane: fill.after?.lane ?? null, fromUser: fill.after?.userKey ?? null };
    const { id: journeyId, projectId } = journey;
    const move = { journeyId, projectId, ...from, lane: null, userKey: null, dueAt, workedMs: 0 };
    await inTransaction(hotPool, (client) => moveFill(client, { ...move, restMs: dueAt - now }));
    return;
  }
  const began = performance.now();
  let place: Pick<Fill, "after" | "workedMs"> = fill;
  while (performance.now() - began < LOOK_MS) {
    const page = await fillPage(app, journey, definition, place);
    if (page?.entered) wake(app, moveLoop);
    if (page === null || page.until === null || page.entered) return;
    place = { after: page.until, workedMs: page.workedMs };
  }
}

/** Lets users into journeys out of their audiences: those who are in one by now, or all of one at an hour. One process does it at a time. */
export const fillLoop = aloneLoop({
  name: "fill journeys",
  everyMs: SECOND_MS,
  async turn(app, signal) {
    for (;;) {
      const rest = new Set(restingNow(app));
      const now = app.clock();
      const look = { now, until: now + LONGEST_REST_MS };
      const fills = await findFillsAcrossProjects(app.database.kysely, look);
      const ready = fills.filter(({ journeyId, dueAt }) => dueAt <= now && !rest.has(journeyId));
      for (const fill of ready)
        if (!signal.aborted) await attempt(app, fill.journeyId, () => fillOn(app, fill));
      if (ready.length === 0 || signal.aborted) return Math.min(...fills.map(({ dueAt }) => dueAt));
    }
  },
});
