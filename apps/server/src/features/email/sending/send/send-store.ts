import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { withValue } from "../../../../platform/db/fragment.ts";
import { farAheadSql } from "../../../../platform/far-ahead.ts";
import type { DueQueue } from "../../../../platform/outbound/channel.ts";
import { isOpen, isSentBy } from "../../../campaigns/authoring/public.ts";
import { LONGEST_WAITS_MS } from "../rules.ts";

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

/** The furthest ahead that a send `s` may be due, which follows from its deferrals. */
const LONGEST_WAIT = `(array[${LONGEST_WAITS_MS.join(",")}]::int8[])[least(s.deferrals, ${LONGEST_WAITS_MS.length - 1}) + 1]`;

/**
 * Makes sends of running campaigns due now that wait for an instant further ahead than a send may be due. Sends are many, so this is
 * looked for now and then, and not with each look for those that are due. Answers how many there were, at most `limit`.
 */
export async function hastenSendsAcrossProjects(db: Db, now: number, limit: number): Promise<number> {
  const isFar = (most: number | string) => withValue((at) => farAheadSql("s.due_at", at, most), now);
  const { rows } = await sql`
    with far as (
      select s.lane, s.user_key, s.campaign_id from campaigns c join email_sends s on s.campaign_id = c.id
      -- The first condition is there for the index.
      where ${sql.raw(isSentBy("c", "email"))} and s.status = 'waiting' and ${isFar(Math.min(...LONGEST_WAITS_MS))}
        and ${isFar(LONGEST_WAIT)}
      limit ${limit} for update of s skip locked
    )
    update email_sends s set due_at = ${now} from far f
    where s.lane = f.lane and s.user_key = f.user_key and s.campaign_id = f.campaign_id and s.status = 'waiting'
    returning 1`.execute(db);
  return rows.length;
}
