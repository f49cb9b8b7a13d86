import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { HOUR_MS, MINUTE_MS } from "../../platform/time/clock.ts";
import { zoneOfSql } from "./readers-store.ts";

/** Campaign messages that left within a minute (its start, epoch ms) for readers of a time zone; null for those who have none in their traits. */
export type LeftInMinute = { zone: string | null; minute: number; messages: number };

/** The campaign emails and pushes of a project that left since an instant (epoch ms), without urgent ones, by time zone and minute. */
export async function listLeft(db: Db, projectId: string, since: number): Promise<LeftInMinute[]> {
  const { rows } = await sql<LeftInMinute>`
    select ${zoneOfSql("u")} as zone, d.sent_at - d.sent_at % ${sql.lit(MINUTE_MS)} as minute, count(*)::int8 as messages
    from ${t.campaigns} c join ${t.deliveries} d on d.campaign_id = c.id and d.project_id = c.project_id
    left join ${t.users} u on u.lane = d.lane and u.user_key = d.user_key
    where c.project_id = ${projectId} and c.channel in ('email', 'push') and c.purpose = 'marketing' and not c.urgent
      and d.sent_at >= ${since}
    group by 1, 2`.execute(db);
  return rows;
}

/** How many messages came when their reader had had `max` within so many hours, since an instant (epoch ms), and to how many readers. */
export async function countBeyond(
  db: Db,
  projectId: string,
  { since, max, hours, channels }: { since: number; max: number; hours: number; channels: readonly string[] },
): Promise<{ messages: number; readers: number }> {
  const backMs = hours * HOUR_MS;
  const { rows } = await sql<{ messages: number; readers: number }>`
    select count(*)::int8 as messages, count(distinct (m.lane, m.user_key))::int8 as readers from (
      select d.lane, d.user_key, d.sent_at, c.urgent,
        count(*) over (partition by d.lane, d.user_key order by d.sent_at range between ${sql.lit(backMs - 1)} preceding and current row) as had
      from ${t.campaigns} c join ${t.deliveries} d on d.campaign_id = c.id and d.project_id = c.project_id
      where c.project_id = ${projectId} and c.channel::text = any(${[...channels]}::text[]) and c.purpose = 'marketing'
        and d.sent_at >= ${since - backMs}
    ) m
    where m.sent_at >= ${since} and not m.urgent and m.had > ${max}`.execute(db);
  return rows[0] ?? { messages: 0, readers: 0 };
}
