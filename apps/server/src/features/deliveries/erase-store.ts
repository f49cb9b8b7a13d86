import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";

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
