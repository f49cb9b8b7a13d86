import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";

/** Rows that are counted at most: beyond it a number only says that there are very many. */
const MAX_COUNTED = 100_000;

/** How the sending of push stands: numbers without a project, from indexes of just these rows. */
export async function countSendingAcrossProjects(
  db: Db,
  now: number,
): Promise<{ waiting: number; faults: number }> {
  const { rows } = await sql<{ waiting: number; faults: number }>`
    select (
      select count(*) from (
        select from campaigns c
        join push_slots s on s.campaign_id = c.id and s.state in ('ready', 'waiting') and not s.is_test and s.at <= ${now}
        where c.status = 'running' and c.channel <> 'web_inapp' and c.channel = 'push'
          and coalesce(c.deliver_from <= ${now}, true) and coalesce(${now} < c.deliver_until, true)
        limit ${MAX_COUNTED}
      ) due
    ) as waiting, (
      select count(*) from push_plans p join campaigns c on c.id = p.campaign_id
      where c.status = 'running' and p.fault is not null
    ) as faults`.execute(db);
  return rows[0] ?? { waiting: 0, faults: 0 };
}
