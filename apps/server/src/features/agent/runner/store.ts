import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { isDue } from "../evaluations/public.ts";

/**
 * Projects that have a policy, and a campaign that it can evaluate now or a repository that has brought something, but for those that are at work. `launching` are the policies that
 * look at drafts too.
 */
export async function findDueProjectsAcrossProjects(
  db: Db,
  {
    now,
    busy,
    launching,
    hasSourceWork,
  }: { now: number; busy: readonly string[]; launching: readonly string[]; hasSourceWork: boolean },
): Promise<{ projectId: string }[]> {
  const { rows } = await sql<{ projectId: string }>`
    select s.project_id as "projectId" from settings s
    where s.key = 'agent.policy' and not s.project_id = any(${[...busy]}::uuid[])
      and not exists (
        select from settings p
        where p.project_id = s.project_id and p.key = 'safety.loopPaused' and p.value = 'true'::jsonb
      )
      and (exists (
        select from evaluations e
        join campaigns c on c.id = e.campaign_id and c.project_id = e.project_id
        join goals g on g.id = c.goal_id and g.project_id = c.project_id and g.status = 'active'
        where e.project_id = s.project_id and ${isDue(now)}
          and (c.status <> 'draft' or s.value #>> '{}' = any(${[...launching]}::text[]))
      ) or ${hasSourceWork} and exists (
        select from source_refs r
        join sources o on o.project_id = r.project_id and o.id = r.source_id and o.enabled and not o.paused and o.state = 'ok'
        where r.project_id = s.project_id and r.cursor_sha <> r.head_sha and r.retry_at <= ${now}
          and coalesce(r.lease_expires_at <= ${now}, true)
      ))`.execute(db);
  return rows;
}
