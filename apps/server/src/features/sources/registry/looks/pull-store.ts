import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { HostedPullRequest } from "../../github/rules.ts";
import type { SourceRow } from "../store.ts";

type SourceKey = Pick<SourceRow, "projectId" | "id" | "generation">;

/** Writes pull requests as their host says they are, and until when that was read (epoch ms); answers whether one of them has changed. */
export async function putPulls(
  db: Db,
  { projectId, id: sourceId, generation }: SourceKey,
  pulls: readonly HostedPullRequest[],
  readUntil: number | null,
): Promise<boolean> {
  if (readUntil !== null)
    await db
      .updateTable("sources")
      .set({ pullsReadUntil: readUntil })
      .where("projectId", "=", projectId)
      .where("id", "=", sourceId)
      .where("generation", "=", generation)
      .execute();
  if (pulls.length === 0) return false;
  const { rows } = await sql`
    insert into ${t.sourcePulls} as p (project_id, source_id, number, generation, state, head_sha, merge_sha, by_member, labels)
    select ${projectId}, ${sourceId}, r.number, ${generation}, r.state, r."headSha", r."mergeSha", r."byMember", r.labels
    from jsonb_to_recordset(${JSON.stringify(pulls)}::jsonb)
      as r (number bigint, state pull_state, "headSha" text, "mergeSha" text, "byMember" boolean, labels text[])
    on conflict (project_id, source_id, number) do update
      set generation = excluded.generation, state = excluded.state, head_sha = excluded.head_sha, merge_sha = excluded.merge_sha,
        by_member = excluded.by_member, labels = excluded.labels
      where (p.generation, p.state, p.head_sha, p.merge_sha, p.by_member, p.labels)
        is distinct from (excluded.generation, excluded.state, excluded.head_sha, excluded.merge_sha, excluded.by_member, excluded.labels)
    returning p.number`.execute(db);
  return rows.length > 0;
}

/** The pull requests of a source, by number, as they were read in this generation. */
export async function listPulls(
  db: Db,
  projectId: string,
  { sourceId, generation }: { sourceId: string; generation: number },
): Promise<HostedPullRequest[]> {
  return db
    .selectFrom("sourcePulls")
    .select(["number", "state", "headSha", "mergeSha", "byMember", "labels"])
    .where("projectId", "=", projectId)
    .where("sourceId", "=", sourceId)
    .where("generation", "=", generation)
    .orderBy("number")
    .execute();
}

/** Numbers of pull requests that campaigns announce, and that were not read in this generation. */
export async function listUnreadPulls(
  db: Db,
  { projectId, id: sourceId, generation }: SourceKey,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    select distinct d.number from ${t.sourceChanges} d
    join ${t.campaigns} c on c.id = d.campaign_id and c.project_id = d.project_id and c.status <> 'ended'
    left join ${t.sourcePulls} p on p.project_id = d.project_id and p.source_id = d.source_id and p.number = d.number
      and p.generation = ${generation}
    where d.project_id = ${projectId} and d.source_id = ${sourceId} and d.number is not null and p.number is null
    order by d.number limit ${limit}`.execute(db);
  return rows.map(({ number }) => number);
}

/** The pull requests that were merged as one of these commits, by commit. */
export async function listMergedAs(
  db: Db,
  projectId: string,
  sourceId: string,
  shas: readonly string[],
): Promise<ReadonlyMap<string, { number: number; headSha: string }[]>> {
  if (shas.length === 0) return new Map();
  const rows = await db
    .selectFrom("sourcePulls")
    .select(["number", "headSha", "mergeSha"])
    .where("projectId", "=", projectId)
    .where("sourceId", "=", sourceId)
    .where("mergeSha", "in", shas)
    .orderBy("number")
    .execute();
  return Map.groupBy(rows, ({ mergeSha }) => mergeSha ?? "");
}
