import { isVisitorId } from "../../../domain/visitors.pure.ts";
import { createBatch } from "../../../platform/db/batch/batch.ts";
import { batchQueue } from "../../../platform/db/batch/batch-queue.ts";
import { type Connection, isContention, isLocked, isUnreachable } from "../../../platform/db/db.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { rouse } from "../../../platform/loops/changes.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { wakeAfterDelta } from "../../counting/rollups/public.ts";
import { activePeriodsByProject, type PeriodOf, recentlyActive } from "../../counting/usage/public.ts";
import { compareEvents } from "../../users/events/public.ts";
import {
  isRepeat,
  type NewEvent,
  readKnownEventNames,
  readTargetEvents,
  recordEvents,
  type TargetEvents,
  type TrackedEvent,
  type TrackingEffects,
  type Unwritten,
} from "./store.ts";

/**
 * `recorded`: new. `known`: the same event was recorded before. `conflict`: its eventId belongs to another event. `refused`: its
 * name is new to its user, who has as many event names as a user may have (`userEventNames`).
 */
export type Recorded = "recorded" | "known" | "conflict" | "refused";

type Client = App["database"]["hotPool"] | Connection;

/** Target events by project, as they were last read. A statement that finds them outdated answers that. */
export const targetEvents = resource(() => new Map<string, TargetEvents>());

/** An event, and when this server received it (epoch milliseconds). */
type ReceivedEvent = NewEvent & { receivedAt: number };

/**
 * The period in which an event makes its user active: that in which it came, however long it waited to be written. Null for history: it
 * happened before that period.
 */
function periodOfEvent(periodOf: PeriodOf | undefined, ts: number, receivedAt: number): number | null {
  const period = periodOf?.(receivedAt) ?? 0;
  return ts === receivedAt || periodOf?.(ts) === period ? period : null;
}

/**
 * Event names by project: those of the rollups when this process first recorded for it, and those recorded since, up to one more than
 * a user may have. While a project has no more names than a user may have, the names of single users need not be counted. (Other
 * processes may have recorded further names within the last minute.)
 */
export const knownNames = resource(() => new Map<string, Set<string>>());

export async function ensureKnown(app: App, projectIds: Iterable<string>): Promise<void> {
  const targets = app.get(targetEvents);
  const names = app.get(knownNames);
  const { kysely } = app.database.lookups;
  for (const projectId of projectIds) {
    if (!targets.has(projectId)) {
      const events = await readTargetEvents(kysely, projectId);
      targets.set(projectId, events);
    }
    if (names.has(projectId)) continue;
    const limit = app.config.limits.userEventNames + 1;
    const found = await readKnownEventNames(kysely, projectId, limit);
    names.set(projectId, new Set(found));
  }
}

/** Remembers a name of a project; answers whether the project has more names than a user may have. */
export function hasManyNames(names: Set<string> | undefined, name: string, maxNames: number): boolean {
  if (names === undefined) return true;
  if (names.size <= maxNames) names.add(name);
  return names.size > maxNames;
}

/**
 * To look for repeats costs more than to presume that there are none, and to be wrong costs a statement that fails, with a line in the log of
 * PostgreSQL. After a repeat, further ones are looked for as long as this: a process is wrong about once a minute at most.
 */
const WATCHFUL_MS = 60_000;
const repeatWatch = resource(() => ({ endsAt: 0 }));

/** Sends events in the statement that they need: one that looks for repeats where some came lately, or where another has met one. */
async function send(
  app: App,
  rows: readonly TrackedEvent[],
  effects: Omit<TrackingEffects, "repeats">,
): Promise<Unwritten[]> {
  const watch = app.get(repeatWatch);
  const now = app.clock();
  const repeats = now < watch.endsAt;
  const write = recordEvents({ ...effects, repeats }, app.config.limits.userEventNames);
  try {
    const unwritten = await write(app.database.hotPool, rows);
    if (unwritten.some(({ repeated }) => repeated !== null)) watch.endsAt = now + WATCHFUL_MS;
    return unwritten;
  } catch (cause) {
    // One of the users may have been erased, and then counts as active again.
    if (isContention(cause)) app.get(recentlyActive).forget(rows);
    if (repeats || !isRepeat(cause)) throw cause;
    watch.endsAt = now + WATCHFUL_MS;
    return send(app, rows, effects);
  }
}

/** Writes events with the statement that they need, and again where a project's configuration has changed meanwhile. */
async function write(app: App, rows: readonly ReceivedEvent[]): Promise<Unwritten[]> {
  const targets = app.get(targetEvents);
  const active = app.get(recentlyActive);
  const names = app.get(knownNames);
  const { userEventNames: maxNames } = app.config.limits;
  const projectIds = new Set(rows.map((row) => row.projectId));
  const periods = await activePeriodsByProject(app, projectIds);
  for (;;) {
    await ensureKnown(app, projectIds);
    const reach = { goals: false, active: false, history: false, names: false };
    const now = app.clock();
    const complete = rows.map((row): TrackedEvent => {
      const known = targets.get(row.projectId);
      // A visitor is active in no period: what they do counts like history, before and after they become a user.
      const period = isVisitorId(row.externalId)
        ? null
        : periodOfEvent(periods.get(row.projectId), row.ts, row.receivedAt);
      const isHistory = period === null;
      const isCounted = isHistory || active.isCounted(row.userKey, period);
      reach.goals ||= known === undefined || known.names.has(row.name);
      reach.active ||= !isCounted;
      reach.history ||= isHistory;
      // Call the function first: it has to remember every name.
      reach.names = hasManyNames(names.get(row.projectId), row.name, maxNames) || reach.names;
      const activePeriod = isCounted ? null : period;
      return { ...row, isHistory, activePeriod, now, configVersion: known?.configVersion ?? 0 };
    });
    const unwritten = await send(app, complete, reach);
    const stale = unwritten.filter((each) => each.stale_project !== null);
    if (stale.length === 0) {
      if (reach.active && unwritten.length === 0)
        active.counted(
          complete.flatMap(({ userKey, activePeriod: period }) =>
            period === null ? [] : [{ userKey, period }],
          ),
        );
      wakeAfterDelta(app);
      // A journey looks at them: without this it would find them by itself, up to half a minute later on a quiet server.
      if (rows.some(({ projectId, name }) => targets.get(projectId)?.ofJourneys.has(name))) rouse(app);
      return unwritten;
    }
    for (const { stale_project: projectId } of stale) targets.delete(projectId ?? "");
  }
}

/** The result of each event. Repeated ones are compared with the recorded events; null where that was erased meanwhile. */
export async function outcomes(
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

async function record(app: App, rows: readonly ReceivedEvent[]): Promise<Recorded[]> {
  const unwritten = await write(app, rows);
  const results = await outcomes(app.database.hotPool, rows, unwritten);
  return Promise.all(
    results.map(async (result, position): Promise<Recorded> => {
      if (result !== null) return result;
      // The recorded event was erased with its user meanwhile, so this one is recorded for a new user.
      const [anew] = await record(app, [rows[position] as ReceivedEvent]);
      return anew ?? "recorded";
    }),
  );
}

/**
 * Records events of now in a transaction that has locked their users; no two of them with the same user and eventId. After the commit, the
 * caller calls `wakeAfterDelta`. `activePeriod` is the period of active users at `now` (epoch ms), `maxNames` the limit `userEventNames`.
 */
export async function recordEventsWithin(
  client: Connection,
  events: readonly NewEvent[],
  { activePeriod, now, maxNames }: { activePeriod: number; now: number; maxNames: number },
): Promise<Recorded[]> {
  const rows = events.map((event) => ({ ...event, isHistory: false, activePeriod, now, configVersion: 0 }));
  const reach = { goals: true, active: true, history: false, names: true, repeats: true };
  const unwritten = await recordEvents(reach, maxNames)(client, rows);
  const results = await outcomes(client, events, unwritten);
  return results.map((result) => {
    if (result === null) throw new Error("An event went while its user was held.");
    return result;
  });
}

const eventBatch = resource((app) =>
  createBatch<ReceivedEvent, Recorded>({
    laneOf: (row) => row.lane,
    // A repeated event goes into a later statement, which finds the first one and compares them.
    keyOf: (row) => row.userKey + row.eventId,
    queue: batchQueue(app, "events"),
    userOf: (row) => row.userKey,
    run: (rows) => record(app, rows),
  }),
);

/** Records an event by group commit; resolves once it is durable. One from before the period in which it came is history. */
export async function recordEvent(app: App, event: ReceivedEvent): Promise<Recorded> {
  try {
    return await app.get(eventBatch).add(event);
  } catch (cause) {
    if (isUnreachable(cause) || isLocked(cause)) throw cause;
    throw new ApiError("user_upsert_failed", undefined, { cause });
  }
}

/** The refusal of an event whose user has as many event names as a user may have. */
export const tooManyNames = (maxNames: number): string =>
  `event is a name that is new to a user of ${maxNames} different ones, the most that a user may have: keep to few names, and put what differs into props`;

export const EVENT_ID_CONFLICT = "eventId was used for another event of this user";
