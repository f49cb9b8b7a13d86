import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { withValue } from "../../../../platform/db/statements/fragment.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { farAheadSql } from "../../../../platform/time/far-ahead.ts";
import { dueSince, evaluationDueSql } from "../store.ts";

/** When a program of people last took up an evaluation of a project (epoch ms); null where none ever did. */
export async function readProgramAt(db: Db, projectId: string, now: number): Promise<number | null> {
  const row = await db
    .selectFrom("agentDays")
    .select("programAt")
    .where("projectId", "=", projectId)
    .where("programAt", "is not", null)
    .where(({ not }) => not(withValue((at) => farAheadSql("program_at", at, 0), now)))
    .orderBy("day", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.programAt ?? null;
}

/** What has been due for the longest time. Ids are UUIDs, instants epoch milliseconds. */
export type LongestDue = {
  campaignId: string;
  campaignName: string;
  since: number;
  /** Whether what waits is a change that people have approved. */
  isApproved: boolean;
  /** How many campaigns wait in all. */
  count: number;
};

type Wanted = { now: number; onlyContinuations: boolean; withDrafts: boolean };

/**
 * The evaluation that an agent could have taken up for the longest time; null where none is due. `onlyContinuations`: those alone about
 * which people have decided. `withDrafts`: drafts too, of which no change was approved.
 */
export async function findLongestDue(
  db: Db,
  projectId: string,
  { now, onlyContinuations, withDrafts }: Wanted,
): Promise<LongestDue | null> {
  const { rows } = await sql<LongestDue>`
    select d.*, count(*) over () as count from (
      select e.campaign_id as "campaignId", c.name as "campaignName", ${dueSince(now)} as since,
        exists (
          select from ${t.proposals} p
          where p.project_id = e.project_id and p.campaign_id = e.campaign_id and p.evaluation_at = e.evaluation_at
            and p.status = 'approved' and p.consumed_at is null and p.superseded_at is null and p.expires_at > ${now}
        ) as "isApproved", c.status
      from ${t.evaluations} e
      join ${t.campaigns} c on c.id = e.campaign_id and c.project_id = e.project_id
      join ${t.goals} g on g.id = c.goal_id and g.project_id = c.project_id and g.status = 'active'
      where e.project_id = ${projectId} and ${evaluationDueSql(now)}
    ) d
    where d."isApproved" or (not ${onlyContinuations}::boolean and (d.status <> 'draft' or ${withDrafts}::boolean))
    order by d.since, d."campaignId"
    limit 1`.execute(db);
  const [found] = rows;
  if (found === undefined) return null;
  const { campaignId, campaignName, since, isApproved, count } = found;
  return { campaignId, campaignName, since, isApproved, count };
}
