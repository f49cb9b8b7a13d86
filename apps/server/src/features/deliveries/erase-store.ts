import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import type { UserRef } from "../../platform/ids.ts";

/**
 * Hands a user's deliveries to another row of the same lane, so that every statistic stays, and keeps when they last did
 * what may have converted one: an event before the first exposure never does. Comes before their events are erased.
 */
export async function moveDeliveries(tx: Db, projectId: string, from: UserRef, to: UserRef): Promise<void> {
  const theirs = sql`lane = ${from.lane} and user_key = ${from.userKey} and project_id = ${projectId}`;
  // Locked in the order in which feedback locks them; what feedback committed before is seen by what follows.
  await sql`select from deliveries where ${theirs} order by campaign_id for update`.execute(tx);
  await sql`
    insert into frozen_events (lane, user_key, name, project_id, last_at)
    select lane, ${to.userKey}, name, project_id, last_at from event_counts
    where ${theirs} and last_at >= (select min(exposed_at) from deliveries where ${theirs})`.execute(tx);
  await sql`update deliveries set user_key = ${to.userKey} where ${theirs}`.execute(tx);
}

/** Frozen events of somebody who was not erased, or has no delivery that they could have converted. */
export async function countIdleFrozenEventsAcrossProjects(db: Db): Promise<number> {
  const { rows } = await sql<{ differences: number }>`
    select count(*) as differences from frozen_events f
    where not exists (
      select from erased_users g where g.lane = f.lane and g.user_key = f.user_key and g.project_id = f.project_id
    ) or not exists (
      select from deliveries d where d.lane = f.lane and d.user_key = f.user_key and d.exposed_at <= f.last_at
    )`.execute(db);
  return rows[0]?.differences ?? 0;
}
