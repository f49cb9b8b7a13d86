import { createBatch } from "../../platform/db/batch.ts";
import { isContention, isUnreachable } from "../../platform/db/db.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { compareEvents } from "../events/public.ts";
import { noted } from "../rollups/public.ts";
import { calendarPeriod, recentlyActive } from "../usage/public.ts";
import {
  type EventRow,
  type NewEvent,
  readTargetEvents,
  recordEvents,
  type TargetEvents,
  type Unwritten,
} from "./store.ts";

/** `recorded`: new. `known`: the same event was there. `conflict`: its eventId stands for another event. */
export type Recorded = "recorded" | "known" | "conflict";

/** Target events by project, as they were last read; a statement that finds them outdated says so. */
const targetEvents = resource(() => new Map<string, TargetEvents>());

async function ensureTargets(app: App, projectIds: Iterable<string>): Promise<void> {
  const known = app.get(targetEvents);
  for (const projectId of projectIds) {
    if (!known.has(projectId)) known.set(projectId, await readTargetEvents(app.database.kysely, projectId));
  }
}

/** Writes events with the statement that they need; again when a configuration changed in between. */
async function write(app: App, rows: readonly NewEvent[]): Promise<Unwritten[]> {
  const targets = app.get(targetEvents);
  const active = app.get(recentlyActive);
  const period = calendarPeriod(app.clock());
  for (;;) {
    await ensureTargets(app, new Set(rows.map((row) => row.projectId)));
    const reach = { goals: false, active: false };
    const complete = rows.map((row): EventRow => {
      const known = targets.get(row.projectId);
      const isCounted = active.isCounted(row.userKey, period);
      reach.goals ||= known === undefined || known.names.has(row.name);
      reach.active ||= !isCounted;
      return { ...row, activePeriod: isCounted ? null : period, configVersion: known?.configVersion ?? 0 };
    });
    const unwritten = await recordEvents(reach)(app.database.hotPool, complete).catch((cause: unknown) => {
      // Perhaps one of them was erased, and is to be counted again.
      if (isContention(cause)) active.forget(rows);
      throw cause;
    });
    const stale = unwritten.filter((each) => each.stale_project !== null);
    if (stale.length === 0) {
      if (reach.active && unwritten.length === 0) active.counted(complete, period);
      noted(app);
      return unwritten;
    }
    for (const { stale_project: projectId } of stale) targets.delete(projectId ?? "");
  }
}

async function record(app: App, rows: readonly NewEvent[]): Promise<Recorded[]> {
  const unwritten = await write(app, rows);
  const results: Recorded[] = rows.map(() => "recorded");
  if (unwritten.length === 0) return results;
  const positions = unwritten.map(({ repeated }) => Number(repeated) - 1);
  const compared = await compareEvents(
    app.database.hotPool,
    positions.map((position) => rows[position] as NewEvent),
  );
  for (const [index, position] of positions.entries()) {
    const same = compared[index]?.same;
    // What was there has been erased since: this one is the first of a new user.
    const [anew] = same === null ? await record(app, [rows[position] as NewEvent]) : [];
    results[position] = anew ?? (same ? "known" : "conflict");
  }
  return results;
}

const eventBatch = resource((app) =>
  createBatch<NewEvent, Recorded>({
    laneOf: (row) => row.lane,
    // The same event twice is two statements: the second finds the first and is compared with it.
    keyOf: (row) => row.userKey + row.eventId,
    run: (rows) => record(app, rows),
  }),
);

/** Records an event together with whatever else arrives; resolves once it is durable. */
export async function recordEvent(app: App, event: NewEvent): Promise<Recorded> {
  try {
    return await app.get(eventBatch).add(event);
  } catch (cause) {
    if (isUnreachable(cause)) throw cause;
    throw new ApiError("user_upsert_failed", undefined, { cause });
  }
}

export const EVENT_ID_CONFLICT = "eventId was used for another event of this user";
