import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { withValue } from "../../../../platform/db/fragment.ts";
import type { DueQueue } from "../../../../platform/outbound/channel.ts";
import { isOpen, isSentBy } from "../../../campaigns/authoring/public.ts";

/** Campaigns that run now and have sends that are due. */
export async function findDueAcrossProjects(db: Db, now: number): Promise<DueQueue[]> {
  const { rows } = await sql<DueQueue>`
    select c.project_id as "projectId", c.id as "queueId" from campaigns c
    where ${sql.raw(isSentBy("c", "email"))} and ${withValue((at) => isOpen("c", at), now)}
      and exists (
        select from email_sends s where s.campaign_id = c.id and s.status = 'waiting' and s.due_at <= ${now}
      )
    order by c.id`.execute(db);
  return rows;
}
