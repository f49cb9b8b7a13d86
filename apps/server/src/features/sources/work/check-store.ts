import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { isNoWordOfAKey } from "../../runs/public.ts";

/** Finished work of which a commit was neither drafted nor skipped, or both; or that has no run. */
export const countUnplannedCommitsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.sourcePlans} p
    where not (p.shas <@ (p.authored || p.skipped) and (p.authored || p.skipped) <@ p.shas) or p.authored && p.skipped
      or not exists (
        select from ${t.agentRuns} r where r.id = p.run_id and r.project_id = p.project_id and r.kind = 'source'
          and ${isNoWordOfAKey}
      )`,
  );

/** Campaigns of source work that announce a commit which none of their contributions brought, or that lack one. */
export const countOtherDeclarationsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    with brought as (
      select distinct k.project_id, k.campaign_id, k.source_id, k.number, sha
      from ${t.sourceContributions} k
      join ${t.campaigns} c on c.id = k.campaign_id and c.created_by = 'agent', unnest(k.shas) as sha
      where k.kind <> 'withdraw' and k.withdrawn_at is null
    ), declared as (
      select d.project_id, d.campaign_id, d.source_id, d.number, sha from ${t.sourceChanges} d, unnest(d.shas) as sha
    )
    (select from brought b where not exists (
      select from declared d
      where (d.project_id, d.campaign_id, d.source_id, d.sha) = (b.project_id, b.campaign_id, b.source_id, b.sha)
        and d.number is not distinct from b.number
    ))
    union all
    (select from declared d
    join ${t.campaigns} c on c.id = d.campaign_id and c.created_by = 'agent'
    where not exists (
      select from brought b
      where (b.project_id, b.campaign_id, b.source_id, b.sha) = (d.project_id, d.campaign_id, d.source_id, d.sha)
        and b.number is not distinct from d.number
    ))`,
  );

/** Leases whose work begins elsewhere than their ref stands, or that are of a source as it never was. */
export const countStrayLeasesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.sourceRefs} r
    join ${t.sources} s on s.project_id = r.project_id and s.id = r.source_id
    where r.generation > s.generation
      or (r.work is not null and (r.work ->> 'fromSha' <> r.cursor_sha or (r.work ->> 'generation')::int > r.generation))`,
  );
