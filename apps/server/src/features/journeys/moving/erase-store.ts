import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/**
 * Has an erased user leave all journeys, and moves what they went through to the key of an anonymised user in the same lane, so that
 * figures stay. What they did that journeys have not looked at is deleted. `now` is epoch milliseconds.
 */
export async function eraseFromJourneys(
  tx: Db,
  projectId: string,
  { from, to, now }: { from: UserRef; to: UserRef; now: number },
): Promise<void> {
  const theirs = sql`lane = ${from.lane} and user_key = ${from.userKey} and project_id = ${projectId}`;
  await sql`delete from ${t.journeyTriggers} where ${theirs}`.execute(tx);
  await sql`
    with leaving as (
      select journey_id, step_id from ${t.journeyEntries} where ${theirs} and left_at is null
      order by journey_id for update
    )
    insert into ${t.journeyCounts} as c (journey_id, step_id, did, project_id, count)
    select journey_id, step_id, did, ${projectId}, sum(by) from (
      select journey_id, step_id, 'here' as did, -1 as by from leaving
      union all select journey_id, '', 'left:erased', 1 from leaving
    ) each group by 1, 2, 3 order by 1, 2, 3
    on conflict (journey_id, step_id, did) do update set count = c.count + excluded.count`.execute(tx);
  await sql`
    update ${t.journeyEntries} set user_key = ${to.userKey}, event = null,
      left_at = coalesce(left_at, ${now}), left_by = coalesce(left_by, 'erased')
    where ${theirs}`.execute(tx);
  await sql`update ${t.journeyMarks} set user_key = ${to.userKey} where ${theirs}`.execute(tx);
}
