import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { EvaluationCandidate } from "../rules.ts";
import { dueSince, evaluationDueSql, isUnleased } from "../store.ts";

/** A campaign with its next evaluation. Ids are UUIDs, instants epoch milliseconds. */
export type PlannedRow = Pick<
  EvaluationCandidate,
  "deliverFrom" | "deliverUntil" | "status" | "goalStatus"
> & {
  campaignId: string;
  name: string;
  goalId: string | null;
  goalName: string | null;
  evaluationAt: number | null;
  /** Until when a program has it; null where none has. */
  leasedUntil: number | null;
  isDue: boolean;
  /** Since when, where it is due. */
  dueSince: number | null;
  /** The proposal that waits for people, or null. */
  proposalId: string | null;
};

/** Campaigns that agents look after or did, but for those that have ended: what is next comes first. */
export async function listPlanned(
  db: Db,
  projectId: string,
  now: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: PlannedRow[]; total: number }> {
  const { rows } = await sql<PlannedRow & { total: number }>`
    select e.campaign_id as "campaignId", c.name, c.status, c.deliver_from as "deliverFrom", c.deliver_until as "deliverUntil",
      g.id as "goalId", g.name as "goalName", g.status as "goalStatus", e.evaluation_at as "evaluationAt",
      case when not ${isUnleased("e.lease_expires_at", now)} then e.lease_expires_at end as "leasedUntil",
      coalesce(g.status = 'active' and ${evaluationDueSql(now)}, false) as "isDue", ${dueSince(now)} as "dueSince",
      (
        select p.id from ${t.proposals} p
        where p.project_id = e.project_id and p.campaign_id = e.campaign_id and p.status = 'pending' and p.expires_at > ${now}
        limit 1
      ) as "proposalId",
      count(*) over () as total
    from ${t.evaluations} e
    join ${t.campaigns} c on c.id = e.campaign_id and c.project_id = e.project_id
    left join ${t.goals} g on g.id = c.goal_id and g.project_id = c.project_id
    where e.project_id = ${projectId} and c.status <> 'ended'
    order by e.evaluation_at nulls last, e.campaign_id
    offset ${offset} limit ${limit}`.execute(db);
  const [first] = rows;
  return { rows: rows.map(({ total: _, ...row }) => row), total: first?.total ?? 0 };
}
