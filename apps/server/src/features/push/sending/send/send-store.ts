import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { withValue } from "../../../../platform/db/fragment.ts";
import type { DueQueue } from "../../../../platform/outbound/channel.ts";
import { isOpen, isSentBy } from "../../../campaigns/authoring/public.ts";

/** A campaign with slots that are due, or with tests that are. */
export type DueCampaign = DueQueue & { tests: boolean };

/** Campaigns that run now and have slots that are due; and those with tests that are due, which need not run. */
export async function findDueAcrossProjects(db: Db, now: number): Promise<DueCampaign[]> {
  const { rows } = await sql<DueCampaign>`
    select c.project_id as "projectId", c.id as "queueId", false as tests from campaigns c
    where ${sql.raw(isSentBy("c", "push"))} and ${withValue((at) => isOpen("c", at), now)}
      and exists (
        select from push_slots s
        where s.campaign_id = c.id and s.state in ('ready', 'waiting') and not s.is_test and s.at <= ${now}
      )
    union all
    select distinct s.project_id, s.campaign_id, true from push_slots s
    where s.state in ('ready', 'waiting') and s.is_test and s.at <= ${now}
    order by 2`.execute(db);
  return rows;
}
