import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import type { UserRef } from "../../platform/ids.ts";

/**
 * Hands a user's sends to another row of the same lane, without a word of who they were for; forgets their addresses, of which the
 * hash stays: a suppression outlives its user. Comes before their deliveries are moved.
 */
export async function moveSends(tx: Db, projectId: string, from: UserRef, to: UserRef): Promise<void> {
  const theirs = sql`lane = ${from.lane} and user_key = ${from.userKey} and project_id = ${projectId}`;
  await sql`select from email_sends where ${theirs} order by campaign_id for update`.execute(tx);
  await sql`
    update email_addresses a set address = null
    from (select distinct address_lane, address_key from email_sends where ${theirs}) s
    where a.lane = s.address_lane and a.address_key = s.address_key and a.project_id = ${projectId}`.execute(
    tx,
  );
  await sql`update email_sends set user_key = ${to.userKey}, reason = null where ${theirs}`.execute(tx);
  await sql`update email_attempts set user_key = ${to.userKey} where ${theirs}`.execute(tx);
  await sql`update email_outcomes set user_key = ${to.userKey}, response = null where ${theirs}`.execute(tx);
  await sql`update email_resends set user_key = ${to.userKey} where ${theirs}`.execute(tx);
}
