import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";

/** Rows that are counted at most: beyond it a number only says that there are very many. */
const MAX_COUNTED = 100_000;

/** How the sending of email stands: numbers without a project, from indexes of just these rows. */
export async function countSendingAcrossProjects(
  db: Db,
  now: number,
): Promise<{ waiting: number; unknown: number }> {
  const { rows } = await sql<{ waiting: number; unknown: number }>`
    select (
      select count(*) from (
        select from campaigns c join email_sends s on s.campaign_id = c.id and s.status = 'waiting' and s.due_at <= ${now}
        where c.status = 'running' and c.channel <> 'web_inapp' and c.channel = 'email'
          and coalesce(c.deliver_from <= ${now}, true) and coalesce(${now} < c.deliver_until, true)
        limit ${MAX_COUNTED}
      ) due
    ) as waiting, (
      select count(*) from (
        select from campaigns c join email_sends s on s.campaign_id = c.id and s.status = 'unknown'
        where c.channel = 'email' limit ${MAX_COUNTED}
      ) lost
    ) as unknown`.execute(db);
  return rows[0] ?? { waiting: 0, unknown: 0 };
}
