import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { isNoWordOfAKey } from "../runs/public.ts";

/** Automatic launches without their run, an approval before it, or evidence; overrides without a run; receipts of another launch. */
export const countUnfoundedLaunchesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.launchReceipts} l
    join ${t.campaigns} c on c.id = l.campaign_id and c.project_id = l.project_id
    where c.started_at is distinct from l.started_at
      or ((l.mode = 'automatic' or l.override_by is not null) and not exists (
        select from ${t.agentRuns} r
        where r.id = l.run_id and r.project_id = l.project_id and r.campaign_id = l.campaign_id and r.kind = 'launch'
          and ${isNoWordOfAKey}
      ))
      or (l.mode = 'automatic' and (jsonb_array_length(l.evidence) = 0 or not exists (
        select from ${t.agentRuns} r
        where r.project_id = l.project_id and r.campaign_id = l.campaign_id and r.kind = 'approval'
          and r.output ->> 'decision' = 'approved' and r.created_at <= l.started_at and ${isNoWordOfAKey}
      )))`,
  );

/** Stored coverage of a change in the environment of another source, or of another campaign. */
export const countStrayCoverageAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.coverage} v
    join ${t.sourceChanges} d on d.id = v.requirement_id
    join ${t.mappings} m on m.id = v.mapping_id
    left join ${t.deployments} p on p.id = v.deployment_id
    where d.project_id <> v.project_id or m.project_id <> v.project_id or d.campaign_id <> v.campaign_id
      or d.source_id <> m.source_id or (v.state = 'pending') <> (v.deployment_id is null)
      or (p.id is not null and (p.project_id, p.source_id, p.environment) <> (m.project_id, m.source_id, m.environment))
      or (v.state = 'present' and not v.was_present)`,
  );

/** Warnings without their run, or about a campaign that was never launched. */
export const countUnfoundedWarningsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.launchWarnings} w
    join ${t.campaigns} c on c.id = w.campaign_id and c.project_id = w.project_id
    where c.started_at is null or c.started_at > w.created_at or not exists (
      select from ${t.agentRuns} r
      where r.id = w.run_id and r.project_id = w.project_id and r.campaign_id = w.campaign_id and r.kind = 'warning'
        and ${isNoWordOfAKey}
    )`,
  );
