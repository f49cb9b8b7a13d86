import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import type { DueQueue } from "../../../../platform/outbound/channel.ts";

/** Campaigns that run now and have sends that are due. */
export async function findDueAcrossProjects(db: Db, now: number): Promise<DueQueue[]> {
  // `<> 'web_inapp'` says to PostgreSQL that its index of campaigns that are sent will do.
  const { rows } = await sql<DueQueue>`
    select c.project_id as "projectId", c.id as "queueId" from campaigns c
    where c.status = 'running' and c.channel <> 'web_inapp' and c.channel = 'email'
      and coalesce(c.deliver_from <= ${now}, true) and coalesce(${now} < c.deliver_until, true)
      and exists (
        select from email_sends s where s.campaign_id = c.id and s.status = 'waiting' and s.due_at <= ${now}
      )
    order by c.id`.execute(db);
  return rows;
}
