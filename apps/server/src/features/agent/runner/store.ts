import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { isRefDue } from "../../sources/work/public.ts";
import { evaluationDueSql } from "../evaluations/public.ts";

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
    select p.project_id as "projectId" from ${t.settings} p
    where p.key = 'agent.policy' and not p.project_id = any(${[...busy]}::uuid[])
      and not exists (
        select from ${t.settings} l
        where l.project_id = p.project_id and l.key = 'safety.loopPaused' and l.value = 'true'::jsonb
      )
      and (exists (
        select from ${t.evaluations} e
        join ${t.campaigns} c on c.id = e.campaign_id and c.project_id = e.project_id
        join ${t.goals} g on g.id = c.goal_id and g.project_id = c.project_id and g.status = 'active'
        where e.project_id = p.project_id and ${evaluationDueSql(now)}
          and (c.status <> 'draft' or p.value #>> '{}' = any(${[...launching]}::text[]))
      ) or ${hasSourceWork} and exists (
        select from ${t.sourceRefs} r
        join ${t.sources} s on s.project_id = r.project_id and s.id = r.source_id
        where r.project_id = p.project_id and ${isRefDue(now)}
      ))`.execute(db);
  return rows;
}
