import { createBatch } from "../../../platform/db/batch.ts";
import { batchQueue } from "../../../platform/db/batch-queue.ts";
import { type Connection, isContention, isLocked, isUnreachable } from "../../../platform/db/db.ts";
import { ApiError } from "../../../platform/http/errors.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { wakeAfterDelta } from "../../counting/rollups/public.ts";
import { activePeriods, recentlyActive } from "../../counting/usage/public.ts";
import { compareEvents } from "../../users/events/public.ts";
import {
  type EventRow,
  type NewEvent,
  readEventNames,
  readTargetEvents,
  recordEvents,
  type TargetEvents,
  type Unwritten,
} from "./store.ts";

/**
 * `recorded`: new. `known`: the same event was there. `conflict`: its eventId stands for another event. `refused`: its name is new to
 * its user, who has done as many different things as a user may (`userEventNames`).
 */
export type Recorded = "recorded" | "known" | "conflict" | "refused";

type Client = App["database"]["hotPool"] | Connection;

/** Target events by project, as they were last read; a statement that finds them outdated says so. */
const targetEvents = resource(() => new Map<string, TargetEvents>());

/** What the users of projects are active in at this moment. */
async function readPeriods(app: App, projectIds: Iterable<string>): Promise<Map<string, number>> {
  const now = app.clock();
  const periods = new Map<string, number>();
  for (const projectId of projectIds) periods.set(projectId, (await activePeriods(app, projectId))(now));
  return periods;
}

/**
 * Event names by project: those of the rollups when it was first met here, and those that came since, up to one more than a user may
 * have. While a project has no more names than that, none of its users can, and nobody's have to be counted. (Other processes may
 * have met further ones within the last minute.)
 */
const metNames = resource(() => new Map<string, Set<string>>());

async function ensureKnown(app: App, projectIds: Iterable<string>): Promise<void> {
  const targets = app.get(targetEvents);
  const names = app.get(metNames);
  const { kysely } = app.database.lookups;
  for (const projectId of projectIds) {
    if (!targets.has(projectId)) targets.set(projectId, await readTargetEvents(kysely, projectId));
    if (names.has(projectId)) continue;
    const limit = app.config.limits.userEventNames + 1;
    names.set(projectId, new Set(await readEventNames(kysely, projectId, limit)));
  }
}

/** Keeps a name in mind; whether its project has more of them than a user may have. */
function hasManyNames(names: Set<string> | undefined, name: string, maxNames: number): boolean {
  if (names === undefined) return true;
  if (names.size <= maxNames) names.add(name);
  return names.size > maxNames;
}

/** Writes events with the statement that they need; again when a configuration changed in between. */
async function write(app: App, rows: readonly NewEvent[]): Promise<Unwritten[]> {
  const targets = app.get(targetEvents);
  const active = app.get(recentlyActive);
  const names = app.get(metNames);
  const { userEventNames: maxNames } = app.config.limits;
  const projectIds = new Set(rows.map((row) => row.projectId));
  const periods = await readPeriods(app, projectIds);
  for (;;) {
    await ensureKnown(app, projectIds);
    const reach = { goals: false, active: false, names: false };
    const complete = rows.map((row): EventRow => {
      const known = targets.get(row.projectId);
      const period = periods.get(row.projectId) ?? 0;
      const isCounted = active.isCounted(row.userKey, period);
      reach.goals ||= known === undefined || known.names.has(row.name);
      reach.active ||= !isCounted;
      // First the call: every name has to be kept in mind.
      reach.names = hasManyNames(names.get(row.projectId), row.name, maxNames) || reach.names;
      return { ...row, activePeriod: isCounted ? null : period, configVersion: known?.configVersion ?? 0 };
    });
    const unwritten = await recordEvents(reach, maxNames)(app.database.hotPool, complete).catch(
      (cause: unknown) => {
        // Perhaps one of them was erased, and is to be counted again.
        if (isContention(cause)) active.forget(rows);
        throw cause;
      },
    );
    const stale = unwritten.filter((each) => each.stale_project !== null);
    if (stale.length === 0) {
      if (reach.active && unwritten.length === 0)
        active.counted(
          complete.flatMap(({ userKey, activePeriod: period }) =>
            period === null ? [] : [{ userKey, period }],
          ),
        );
      wakeAfterDelta(app);
      return unwritten;
    }
    for (const { stale_project: projectId } of stale) targets.delete(projectId ?? "");
  }
}

/** What became of events, of which those at some positions (from 1) were there already; null: no more. */
async function outcomes(
  client: Client,
  rows: readonly NewEvent[],
  unwritten: readonly Unwritten[],
): Promise<(Recorded | null)[]> {
  const results: (Recorded | null)[] = rows.map(() => "recorded");
  for (const { refused } of unwritten) if (refused !== null) results[refused - 1] = "refused";
  const positions = unwritten.flatMap(({ repeated }) => (repeated === null ? [] : [repeated - 1]));
  if (positions.length === 0) return results;
  const compared = await compareEvents(
    client,
    positions.map((position) => rows[position] as NewEvent),
  );
  for (const [index, position] of positions.entries()) {
    const same = compared[index]?.same ?? null;
    results[position] = same === null ? null : same ? "known" : "conflict";
  }
  return results;
}

async function record(app: App, rows: readonly NewEvent[]): Promise<Recorded[]> {
  const results = await outcomes(app.database.hotPool, rows, await write(app, rows));
  return Promise.all(
    results.map(async (result, position): Promise<Recorded> => {
      if (result !== null) return result;
      // What was there has been erased since: this one is the first of a new user.
      const [anew] = await record(app, [rows[position] as NewEvent]);
      return anew ?? "recorded";
    }),
  );
}

/**
 * Records events as part of a transaction that holds their users; no two of them with the same user and eventId. Whoever
 * commits it calls `wakeAfterDelta` then. `activePeriod` is what their users are active in now, `maxNames` the ceiling `userEventNames`.
 */
export async function recordEventsWithin(
  client: Connection,
  events: readonly NewEvent[],
  { activePeriod, maxNames }: { activePeriod: number; maxNames: number },
): Promise<Recorded[]> {
  const rows = events.map((event) => ({ ...event, activePeriod, configVersion: 0 }));
  const unwritten = await recordEvents({ goals: true, active: true, names: true }, maxNames)(client, rows);
  const results = await outcomes(client, events, unwritten);
  return results.map((result) => {
    if (result === null) throw new Error("An event went while its user was held.");
    return result;
  });
}

const eventBatch = resource((app) =>
  createBatch<NewEvent, Recorded>({
    laneOf: (row) => row.lane,
    // The same event twice is two statements: the second finds the first and is compared with it.
    keyOf: (row) => row.userKey + row.eventId,
    queue: batchQueue(app, "events"),
    userOf: (row) => row.userKey,
    run: (rows) => record(app, rows),
  }),
);

/** Records an event together with whatever else arrives; resolves once it is durable. */
export async function recordEvent(app: App, event: NewEvent): Promise<Recorded> {
  try {
    return await app.get(eventBatch).add(event);
  } catch (cause) {
    if (isUnreachable(cause) || isLocked(cause)) throw cause;
    throw new ApiError("user_upsert_failed", undefined, { cause });
  }
}

/** Why an event is refused whose user has done as many different things as a user may. */
export const tooManyNames = (maxNames: number): string =>
  `event is a name that is new to a user of ${maxNames} different ones, the most that a user may have: keep to few names, and put what differs into props`;

export const EVENT_ID_CONFLICT = "eventId was used for another event of this user";
