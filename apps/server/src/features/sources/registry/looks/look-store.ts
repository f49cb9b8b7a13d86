import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { withValue } from "../../../../platform/db/statements/fragment.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { dueAtSql, dueSql, type Look } from "../../../../platform/time/far-ahead.ts";
import { EVERY_MS } from "../rules.ts";
import type { SourceRow } from "../store.ts";

type Due = Pick<SourceRow, "projectId" | "id"> & { dueAt: number };

/** A source may be looked at while no process that is alive is looking at it. */
const isFree = (leaseOwner: string) => sql<boolean>`
  s.enabled and (
    s.lease_owner is null or s.lease_owner = ${leaseOwner}
    or not exists (select from ${t.processes} p where p.lease_owner = s.lease_owner)
  )`;

const isDue = (now: number) => withValue((at) => dueSql("s.look_at", at, EVERY_MS), now);

/** Sources that are due or come due soon, the longest waiting first, but for projects that are at work. */
export async function findDueSourcesAcrossProjects(
  db: Db,
  {
    now,
    until,
    leaseOwner,
    busy,
    limit,
  }: Look & { leaseOwner: string; busy: readonly string[]; limit: number },
): Promise<Due[]> {
  const { rows } = await sql<Due>`
    select s.project_id as "projectId", s.id, ${withValue((at) => dueAtSql("s.look_at", at, EVERY_MS), now)} as "dueAt"
    from ${t.sources} s
    where (${isDue(now)} or s.look_at <= ${until}) and ${isFree(leaseOwner)} and not s.project_id = any(${[...busy]}::uuid[])
    order by s.look_at, s.project_id, s.id limit ${limit}`.execute(db);
  return rows;
}

/**
 * Takes the lease of a source that is due, or of one that is wanted now; its next look is then at `nextAt`. Null where another process has
 * it, or was faster.
 */
export async function claimSource(
  db: Db,
  projectId: string,
  {
    id,
    now,
    nextAt,
    leaseOwner,
    isWanted = false,
  }: { id: string; now: number; nextAt: number; leaseOwner: string; isWanted?: boolean },
): Promise<SourceRow | null> {
  const { rows } = await sql<SourceRow>`
    update ${t.sources} s set lease_owner = ${leaseOwner}, look_at = ${nextAt}
    where s.project_id = ${projectId} and s.id = ${id} and (${isWanted} or ${isDue(now)}) and ${isFree(leaseOwner)}
    returning s.*`.execute(db);
  return rows[0] ?? null;
}

export async function releaseSource(
  db: Db,
  projectId: string,
  id: string,
  leaseOwner: string,
): Promise<void> {
  await db
    .updateTable("sources")
    .set({ leaseOwner: null })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("leaseOwner", "=", leaseOwner)
    .execute();
}

/**
 * The commits of a source that have to stay in its mirror: those that campaigns announce, those that are deployed now, and those up to which
 * its refs are drafted; and the heads of open pull requests.
 */
export async function listWantedCommits(db: Db, projectId: string, sourceId: string): Promise<string[]> {
  const { rows } = await sql<{ sha: string }>`
    select distinct sha from (
      select unnest(d.shas) as sha from ${t.sourceChanges} d
      join ${t.campaigns} c on c.id = d.campaign_id and c.project_id = d.project_id and c.status <> 'ended'
      where d.project_id = ${projectId} and d.source_id = ${sourceId}
      union all
      select * from (
        select distinct on (environment) sha from ${t.deployments}
        where project_id = ${projectId} and source_id = ${sourceId} and status = 'success'
        order by environment, deployed_at desc, deployment_key desc
      ) as current
      union all
      select p.head_sha from ${t.sourcePulls} p
      join ${t.sources} s on s.project_id = p.project_id and s.id = p.source_id and s.generation = p.generation
      where p.project_id = ${projectId} and p.source_id = ${sourceId} and p.state = 'open'
      union all
      select cursor_sha from ${t.sourceRefs} where project_id = ${projectId} and source_id = ${sourceId}
    ) as wanted order by sha`.execute(db);
  return rows.map(({ sha }) => sha);
}
