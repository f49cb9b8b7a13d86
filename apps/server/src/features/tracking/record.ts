import { createBatch } from "../../platform/db/batch.ts";
import { ApiError } from "../../platform/http/errors.ts";
import type { UserRef } from "../../platform/ids.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { compareEvents } from "../events/public.ts";
import { calendarPeriod } from "../usage/public.ts";
import { recordEvents } from "./store.ts";

/** One event to record. `props` is compact JSON; `id` a new UUID of its time `ts`. */
export type NewEvent = UserRef & {
  projectId: string;
  externalId: string;
  id: string;
  name: string;
  props: string | null;
  ts: number;
  eventId: string | null;
};

/** `recorded`: new. `known`: the same event was there. `conflict`: its eventId stands for another event. */
export type Recorded = "recorded" | "known" | "conflict";

async function record(app: App, rows: readonly NewEvent[]): Promise<Recorded[]> {
  const { hotPool } = app.database;
  const written = await recordEvents(hotPool, [
    rows.map((row) => row.lane),
    rows.map((row) => row.userKey),
    rows.map((row) => row.projectId),
    rows.map((row) => row.externalId),
    rows.map((row) => row.id),
    rows.map((row) => row.name),
    rows.map((row) => row.props),
    rows.map((row) => row.ts),
    rows.map((row) => row.eventId),
    calendarPeriod(app.clock()),
  ]);
  if (written.length === rows.length) return rows.map(() => "recorded");
  const fresh = new Set(written.map((row) => row.id));
  const repeated = rows.filter((row) => !fresh.has(row.id));
  const compared = await compareEvents(hotPool, [
    repeated.map((row) => row.lane),
    repeated.map((row) => row.userKey),
    repeated.map((row) => row.eventId),
    repeated.map((row) => row.name),
    repeated.map((row) => row.props),
  ]);
  const same = new Set(repeated.filter((_, index) => compared[index]?.same === true).map((row) => row.id));
  return rows.map((row) => (fresh.has(row.id) ? "recorded" : same.has(row.id) ? "known" : "conflict"));
}

const eventBatch = resource((app) =>
  createBatch<NewEvent, Recorded>({ laneOf: (row) => row.lane, run: (rows) => record(app, rows) }),
);

/** Records an event together with whatever else arrives; resolves once it is durable. */
export async function recordEvent(app: App, event: NewEvent): Promise<Recorded> {
  try {
    return await app.get(eventBatch).add(event);
  } catch (cause) {
    throw new ApiError("user_upsert_failed", undefined, { cause });
  }
}

export const EVENT_ID_CONFLICT = "eventId was used for another event of this user";
