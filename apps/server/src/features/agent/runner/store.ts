import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { isDue } from "../evaluations/public.ts";

/**
 * Projects that have a policy and a campaign that it can evaluate now, but for those that are at work. `launching` are the policies that
 * look at drafts too.
 */
export async function findDueProjectsAcrossProjects(
  db: Db,
  { now, busy, launching }: { now: number; busy: readonly string[]; launching: readonly string[] },
): Promise<{ projectId: string }[]> {
  const { rows } = await sql<{ projectId: string }>`
    select s.project_id as "projectId" from settings s
    where s.key = 'agent.policy' and not s.project_id = any(${[...busy]}::uuid[])
      and not exists (
        select from settings p
        where p.project_id = s.project_id and p.key = 'safety.loopPaused' and p.value = 'true'::jsonb
      )
      and exists (
        select from evaluations e
        join campaigns c on c.id = e.campaign_id and c.project_id = e.project_id
        join goals g on g.id = c.goal_id and g.project_id = c.project_id and g.status = 'active'
        where e.project_id = s.project_id and ${isDue(now)}
          and (c.status <> 'draft' or s.value #>> '{}' = any(${[...launching]}::text[]))
      )`.execute(db);
  return rows;
}
