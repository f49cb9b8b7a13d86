import { type Selectable, sql } from "kysely";
import type { Db, Tables } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

export type CoverageRow = Selectable<Tables["coverage"]>;

/** What is stored of the coverage of a campaign's changes. */
export async function listCoverage(db: Db, projectId: string, campaignId: string): Promise<CoverageRow[]> {
  return db
    .selectFrom("coverage")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .execute();
}

/** A declared change in an environment, whose coverage has to be judged. Ids are UUIDs. */
export type Unjudged = {
  campaignId: string;
  requirementId: string;
  mappingId: string;
  kind: "commit" | "pull_request";
  number: number | null;
  shas: string[];
  /** The commit with which the host says that a pull request was merged. */
  mergeSha: string | null;
  /** What is deployed there now; null for nothing. */
  deploymentId: string | null;
  deployed: string | null;
};

/**
 * Declared changes of a source whose coverage is not that of now: another deployment or generation counts, or a fetch may have brought
 * what was missing. What is present or reverted in a deployment stays so, since commits do not change.
 */
export async function listUnjudged(
  db: Db,
  projectId: string,
  { sourceId, generation, fetchRevision }: { sourceId: string; generation: number; fetchRevision: number },
): Promise<Unjudged[]> {
  const { rows } = await sql<Unjudged>`
    select d.campaign_id as "campaignId", d.id as "requirementId", m.id as "mappingId", d.kind, d.number, d.shas,
      h.merge_sha as "mergeSha", p.id as "deploymentId", p.sha as deployed
    from ${t.sourceChanges} d
    join ${t.campaigns} c on c.id = d.campaign_id and c.project_id = d.project_id and c.status <> 'ended'
    join ${t.mappings} m on m.project_id = d.project_id and m.source_id = d.source_id
    left join lateral (
      select id, sha from ${t.deployments}
      where project_id = m.project_id and source_id = m.source_id and environment = m.environment and status = 'success'
      order by deployed_at desc, deployment_key desc limit 1
    ) p on true
    left join ${t.sourcePulls} h on h.project_id = d.project_id and h.source_id = d.source_id and h.number = d.number
      and h.generation = ${generation}
    left join ${t.coverage} v on v.requirement_id = d.id and v.mapping_id = m.id and v.project_id = d.project_id
    where d.project_id = ${projectId} and d.source_id = ${sourceId} and (
      v.requirement_id is null or v.deployment_id is distinct from p.id or v.generation <> ${generation} or v.state = 'unknown'
      or (v.fetch_revision <> ${fetchRevision} and v.state not in ('present', 'reverted'))
    )
    order by d.campaign_id, m.id, d.position`.execute(db);
  return rows;
}

/** Which of these changes were present when that was last sure, by requirement id. Needs the campaign locked. */
export async function listPresent(
  db: Db,
  projectId: string,
  mappingId: string,
  requirementIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("coverage")
    .select("requirementId")
    .where("projectId", "=", projectId)
    .where("mappingId", "=", mappingId)
    .where("requirementId", "in", requirementIds)
    .where("wasPresent", "=", true)
    .execute();
  return new Set(rows.map(({ requirementId }) => requirementId));
}

/**
 * Writes what was judged; leaves out what is not declared, mapped or deployed any more. Needs the campaign locked. Locks what its foreign
 * keys name before its own rows, as removing a source does.
 */
export async function putCoverage(db: Db, rows: readonly CoverageRow[]): Promise<void> {
  await sql`
    insert into ${t.coverage} (requirement_id, mapping_id, project_id, campaign_id, state, reason, deployment_id, generation, fetch_revision,
      on_branch, representation, was_present, judged_at)
    select r.requirement_id, r.mapping_id, r.project_id, r.campaign_id, r.state, r.reason, r.deployment_id, r.generation,
      r.fetch_revision, r.on_branch, r.representation, r.was_present, r.judged_at
    from jsonb_to_recordset(${JSON.stringify(rows.map(toRecord))}::jsonb) as r (requirement_id uuid, mapping_id uuid, project_id uuid,
      campaign_id uuid, state coverage_state, reason text, deployment_id uuid, generation integer, fetch_revision integer,
      on_branch boolean, representation text[], was_present boolean, judged_at bigint)
    join ${t.sourceChanges} d on d.id = r.requirement_id and d.project_id = r.project_id
    join ${t.mappings} m on m.id = r.mapping_id and m.project_id = r.project_id
    where r.deployment_id is null or exists (
      select from ${t.deployments} p where p.id = r.deployment_id and p.project_id = r.project_id
    )
    for key share of d, m
    on conflict (requirement_id, mapping_id) do update set state = excluded.state, reason = excluded.reason,
      deployment_id = excluded.deployment_id, generation = excluded.generation, fetch_revision = excluded.fetch_revision,
      on_branch = excluded.on_branch, representation = excluded.representation, was_present = excluded.was_present,
      judged_at = excluded.judged_at`.execute(db);
}

const toRecord = (row: CoverageRow) => ({
  requirement_id: row.requirementId,
  mapping_id: row.mappingId,
  project_id: row.projectId,
  campaign_id: row.campaignId,
  state: row.state,
  reason: row.reason,
  deployment_id: row.deploymentId,
  generation: row.generation,
  fetch_revision: row.fetchRevision,
  on_branch: row.onBranch,
  representation: row.representation,
  was_present: row.wasPresent,
  judged_at: row.judgedAt,
});

/**
 * Drafts that were allowed to launch by themselves, and whose declared changes are all live as far as is stored. `now` is epoch
 * milliseconds. Whether they launch is judged again for each.
 */
export async function findLaunchableAcrossProjects(
  db: Db,
  now: number,
): Promise<{ projectId: string; campaignId: string }[]> {
  const { rows } = await sql<{ projectId: string; campaignId: string }>`
    select c.project_id as "projectId", c.id as "campaignId"
    from ${t.campaignApprovals} a
    join ${t.campaigns} c on c.id = a.campaign_id and c.project_id = a.project_id
    left join ${t.campaignActivations} o on o.campaign_id = c.id and o.project_id = c.project_id
    left join ${t.launchPolicies} p on p.project_id = c.project_id
    where c.status = 'draft' and c.started_at is null and coalesce(c.deliver_until > ${now}, true)
      and coalesce(o.mode, p.default_mode, 'automatic') = 'automatic'
      and not exists (
        select from ${t.settings} s where s.project_id = c.project_id and s.key = 'launch.paused' and s.value = 'true'::jsonb
      )
      and exists (select from ${t.sourceChanges} d where d.project_id = c.project_id and d.campaign_id = c.id)
      and not exists (
        select from ${t.sourceChanges} d
        left join ${t.mappings} m on m.project_id = d.project_id and m.source_id = d.source_id
        left join ${t.coverage} v on v.requirement_id = d.id and v.mapping_id = m.id and v.project_id = d.project_id
        where d.project_id = c.project_id and d.campaign_id = c.id and v.state is distinct from 'present'
      )
    order by a.approved_at, c.id`.execute(db);
  return rows;
}

/** A running campaign (UUID) of which a change is not live any more, as the newest warning about it says. `since` is epoch milliseconds. */
export type TakenBackChange = {
  campaignId: string;
  campaignName: string;
  reason: "rollback" | "revert";
  mappingLabel: string;
  since: number;
};

/**
 * Campaigns that deliver although a change that they announce was taken back and is not live again, the newest first. `now` is epoch
 * milliseconds. What is not looked at any more says nothing of now: sources that are switched off or paused are left out.
 */
export async function listTakenBack(
  db: Db,
  projectId: string,
  now: number,
  limit: number,
): Promise<TakenBackChange[]> {
  const { rows } = await sql<TakenBackChange>`
    select * from (
      select distinct on (c.id) c.id as "campaignId", c.name as "campaignName", w.reason, w.mapping_label as "mappingLabel",
        w.created_at as since
      from ${t.campaigns} c
      join ${t.launchWarnings} w on w.campaign_id = c.id and w.project_id = c.project_id
      join ${t.coverage} v on v.campaign_id = c.id and v.project_id = c.project_id and v.mapping_id = w.mapping_id
        and v.state in ('absent', 'reverted') and w.requirement_ids ? ('req_' || v.requirement_id)
      join ${t.mappings} m on m.id = v.mapping_id and m.project_id = v.project_id
      join ${t.sources} s on s.id = m.source_id and s.project_id = m.project_id and s.enabled and not s.paused
      where c.project_id = ${projectId} and c.status = 'running' and coalesce(c.deliver_until > ${now}, true)
      order by c.id, w.created_at desc, w.id desc
    ) newest
    order by since desc, "campaignId" limit ${limit}`.execute(db);
  return rows;
}
