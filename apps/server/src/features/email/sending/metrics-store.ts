import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { withValue } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { isOpen, isSentBy } from "../../campaigns/authoring/public.ts";

/** Rows that are counted at most, so that reading a metric stays cheap. */
const MAX_COUNTED = 100_000;

/** How many messages are due and how many are unknown, over all projects. Each count reads an index that has only such rows. */
export async function countSendingAcrossProjects(
  db: Db,
  now: number,
): Promise<{ waiting: number; unknown: number }> {
  const { rows } = await sql<{ waiting: number; unknown: number }>`
    select (
      select count(*) from (
        select from ${t.campaigns} c cross join lateral (
          select from ${t.emailSends} s where s.campaign_id = c.id and s.status = 'waiting' and s.due_at <= ${now}
          order by s.due_at limit ${MAX_COUNTED}
        ) s
        where ${isSentBy("c", "email")} and ${withValue((at) => isOpen("c", at), now)}
        limit ${MAX_COUNTED}
      ) due
    ) as waiting, (
      select count(*) from (
        select from ${t.campaigns} c cross join lateral (
          select from ${t.emailSends} s where s.campaign_id = c.id and s.status = 'unknown' limit ${MAX_COUNTED}
        ) s
        where c.channel = 'email' limit ${MAX_COUNTED}
      ) lost
    ) as unknown`.execute(db);
  return rows[0] ?? { waiting: 0, unknown: 0 };
}
