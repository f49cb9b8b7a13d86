import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";

/**
 * Moves a user's deliveries to the key of an anonymised user in the same lane, so that statistics stay. Keeps the last times of
 * events that may have converted one, which are those after the first exposure. Call this before the user's events are deleted.
 */
export async function moveDeliveries(tx: Db, projectId: string, from: UserRef, to: UserRef): Promise<void> {
  const theirs = sql`lane = ${from.lane} and user_key = ${from.userKey} and project_id = ${projectId}`;
  // Lock in the same order as feedback. The statements that follow see what feedback committed before.
  await sql`select from deliveries where ${theirs} order by campaign_id for update`.execute(tx);
  await sql`
    insert into frozen_events (lane, user_key, name, project_id, last_at)
    select lane, ${to.userKey}, name, project_id, last_at from event_counts
    where ${theirs} and last_at >= (select min(exposed_at) from deliveries where ${theirs})`.execute(tx);
  await sql`update deliveries set user_key = ${to.userKey} where ${theirs}`.execute(tx);
}
