import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { withValue } from "../../../platform/db/statements/fragment.ts";
import { valuesStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { farAheadSql, type Look } from "../../../platform/time/far-ahead.ts";

/** Has a journey let users in out of its audience from an instant on (epoch ms), beginning with the first one; null for not at all. */
export async function setFill(
  db: Db,
  projectId: string,
  journeyId: string,
  { dueAt, now }: { dueAt: number | null; now: number },
): Promise<void> {
  await db
    .deleteFrom("journeyFills")
    .where("journeyId", "=", journeyId)
    .where("projectId", "=", projectId)
    .execute();
  if (dueAt === null) return;
  await db
    .insertInto("journeyFills")
    .values({ journeyId, projectId, dueAt, restMs: dueAt - now })
    .execute();
}

/**
 * How far a journey is with letting users in. `after`: the last user of its audience that was looked at; null at the beginning. `isFar`: the
 * instant was set by a clock that was ahead. Instants are epoch milliseconds.
 */
export type Fill = {
  journeyId: string;
  after: UserRef | null;
  dueAt: number;
  workedMs: number;
  isFar: boolean;
};

/** The journeys that let users in now, or soon. */
export async function findFillsAcrossProjects(db: Db, { now, until }: Look): Promise<Fill[]> {
  const isFar = withValue((at) => farAheadSql("f.due_at", at, "f.rest_ms"), now);
  const { rows } = await sql<Omit<Fill, "after"> & { lane: number | null; userKey: string | null }>`
    select f.journey_id as "journeyId", f.after_lane as lane, f.after_user as "userKey", f.worked_ms as "workedMs",
      case when ${isFar} then ${now} else f.due_at end as "dueAt", ${isFar} as "isFar"
    from ${t.journeyFills} f join ${t.journeys} j on j.id = f.journey_id and j.status = 'running'
    where f.due_at <= ${until} or ${isFar}
    order by f.due_at, f.journey_id`.execute(db);
  return rows.map(({ lane, userKey, ...fill }) => ({
    ...fill,
    after: lane === null || userKey === null ? null : { lane, userKey },
  }));
}

type FillMove = {
  journeyId: string;
  projectId: string;
  fromLane: number | null;
  fromUser: string | null;
  lane: number | null;
  userKey: string | null;
  dueAt: number;
  restMs: number;
  workedMs: number;
};

/** Moves a journey on in its audience, unless that was done meanwhile. */
export const moveFill = valuesStatement<FillMove, Record<never, never>>(
  { name: "move_journey_fill", reach: "config" },
  {
    journeyId: "uuid",
    projectId: "uuid",
    fromLane: "int2",
    fromUser: "uuid",
    lane: "int2",
    userKey: "uuid",
    dueAt: "int8",
    restMs: "int8",
    workedMs: "int8",
  },
  ({ journeyId, projectId, fromLane, fromUser, lane, userKey, dueAt, restMs, workedMs }) => `
  update ${t.journeyFills} set after_lane = ${lane}, after_user = ${userKey}, due_at = ${dueAt}, rest_ms = ${restMs}, worked_ms = ${workedMs}
  where journey_id = ${journeyId} and project_id = ${projectId}
    and after_lane is not distinct from ${fromLane} and after_user is not distinct from ${fromUser}`,
);
