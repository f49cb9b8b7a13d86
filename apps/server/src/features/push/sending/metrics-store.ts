import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { withValue } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { isOpen, isSentBy } from "../../campaigns/authoring/public.ts";

/** Rows that are counted at most, so that reading a metric stays cheap. */
const MAX_COUNTED = 100_000;

/** How many slots are due, over all projects. Reads an index that has only such rows. */
export async function countWaitingAcrossProjects(db: Db, now: number): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from (
      select from ${t.campaigns} c cross join lateral (
        select from ${t.pushSlots} s
        where s.campaign_id = c.id and s.state in ('ready', 'waiting') and not s.is_test and s.at <= ${now}
        order by s.at limit ${MAX_COUNTED}
      ) s
      where ${isSentBy("c", "push")} and ${withValue((at) => isOpen("c", at), now)}
      limit ${MAX_COUNTED}
    ) due`.execute(db);
  return rows[0]?.waiting ?? 0;
}
