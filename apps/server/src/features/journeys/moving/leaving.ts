import { inTransaction } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import {
  type Entry,
  type Movement,
  type MovingJourney,
  moveEntries,
  readInside,
  type ShownEntry,
} from "./store.ts";

/** How many users leave at once. */
const AT_ONCE = 500;

/** The movement of a user out of a journey, from where they are. */
export function leavingBy(
  entry: Entry,
  by: NonNullable<ShownEntry["leftBy"]>,
  { version, now }: { version: number; now: number },
): Movement {
  const { lane, userKey, journeyId, occasion, projectId, stepId, arrivedAt, isActed } = entry;
  return {
    lane,
    userKey,
    journeyId,
    occasion,
    projectId,
    version,
    now,
    fromStep: stepId,
    fromAt: arrivedAt,
    fromActed: isActed,
    stepId,
    arrivedAt,
    isActed,
    dueAt: now,
    leftBy: by,
    passed: "[]",
  };
}

/** Has users leave a journey that has ended. Answers how many were inside. */
export async function leaveWith(app: App, journey: MovingJourney): Promise<number> {
  const { id, projectId, version } = journey;
  const { kysely, hotPool } = app.database;
  const inside = await readInside(kysely, projectId, id, AT_ONCE);
  if (inside.length === 0) return 0;
  const now = app.clock();
  const leaving = inside.map((entry) => leavingBy(entry, "ended", { version, now }));
  await inTransaction(hotPool, (client) => moveEntries(client, leaving));
  return inside.length;
}
