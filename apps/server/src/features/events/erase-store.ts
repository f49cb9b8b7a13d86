import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import type { UserRef } from "../../platform/ids.ts";
import { erasedEventFacts, erasedFirstFacts, noteFactsCte } from "../rollups/public.ts";

/**
 * Forgets what a user did, and takes it out of every sum. The user's row is held, so that the counts are those of the
 * events; were they not, the transaction would be run again.
 */
export async function eraseEvents(tx: Db, projectId: string, { lane, userKey }: UserRef): Promise<void> {
  const theirs = sql`lane = ${lane} and user_key = ${userKey} and project_id = ${projectId}`;
  await sql`
    with gone as (delete from events where ${theirs} returning lane, project_id, name, props, ts),
    uncounted as (delete from event_counts where ${theirs} returning lane, project_id, name, count),
    ${sql.raw(noteFactsCte(erasedEventFacts("gone"), erasedFirstFacts("uncounted")))}
    select case when (select count(*) from gone) <> (select coalesce(sum(count), 0) from uncounted)
      then raise_contention() end`.execute(tx);
}
