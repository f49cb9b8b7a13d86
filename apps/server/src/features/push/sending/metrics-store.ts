import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";

/** Rows that are counted at most: beyond it a number only says that there are very many. */
const MAX_COUNTED = 100_000;

/** How many devices are due and were not sent to: a number without a project, from an index of just these rows. */
export async function countWaitingAcrossProjects(db: Db, now: number): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from (
      select from campaigns c
      join push_slots s on s.campaign_id = c.id and s.state in ('ready', 'waiting') and not s.is_test and s.at <= ${now}
      where c.status = 'running' and c.channel <> 'web_inapp' and c.channel = 'push'
        and coalesce(c.deliver_from <= ${now}, true) and coalesce(${now} < c.deliver_until, true)
      limit ${MAX_COUNTED}
    ) due`.execute(db);
  return rows[0]?.waiting ?? 0;
}
