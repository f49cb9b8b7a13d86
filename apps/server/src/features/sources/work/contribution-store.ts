import { type Selectable, sql } from "kysely";
import type { Db, Tables } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { Edit } from "./edits.pure.ts";
import type { ContributionMove } from "./rules.ts";

type Row = Selectable<Tables["sourceContributions"]>;

/** What commits brought to a campaign. Ids are UUIDs, but for those of variants in `edits`. */
export type ContributionRow = Omit<Row, "edits" | "nameEdit"> & {
  edits: Edit[];
  nameEdit: { before: string; after: string } | null;
};

// Only checked edits are written to these columns.
const toContribution = (row: Row): ContributionRow => row as unknown as ContributionRow;

/** The contributions to campaigns, in the order in which they were written. */
export async function listContributions(
  db: Db,
  projectId: string,
  campaignIds: readonly string[],
): Promise<ContributionRow[]> {
  if (campaignIds.length === 0) return [];
  const rows = await db
    .selectFrom("sourceContributions")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("campaignId", "in", campaignIds)
    .orderBy("campaignId")
    .orderBy("ordinal")
    .execute();
  return rows.map(toContribution);
}

/** A contribution as a repository is asked about it, and whether its campaign was never launched. */
export type SourceContribution = Pick<
  ContributionRow,
  "id" | "campaignId" | "refId" | "number" | "shas" | "landed"
> & {
  /** The commit with which the host says that its pull request was merged. */
  mergeSha: string | null;
  isWithdrawn: boolean;
  isDraft: boolean;
};

/** The contributions of a source to campaigns that have not ended, by campaign and in the order in which they were written. */
export async function listOfSource(
  db: Db,
  projectId: string,
  sourceId: string,
): Promise<SourceContribution[]> {
  const { rows } = await sql<SourceContribution>`
    select k.id, k.campaign_id as "campaignId", k.ref_id as "refId", k.number, k.shas, k.landed, p.merge_sha as "mergeSha",
      k.withdrawn_at is not null as "isWithdrawn", c.status = 'draft' and c.started_at is null as "isDraft"
    from ${t.sourceContributions} k
    join ${t.campaigns} c on c.id = k.campaign_id and c.project_id = k.project_id and c.status <> 'ended'
    left join ${t.sourcePulls} p on p.project_id = k.project_id and p.source_id = k.source_id and p.number = k.number
    where k.project_id = ${projectId} and k.source_id = ${sourceId} and k.kind <> 'withdraw'
    order by k.campaign_id, k.ordinal`.execute(db);
  return rows;
}

export type NewContribution = Pick<
  ContributionRow,
  | "id"
  | "campaignId"
  | "kind"
  | "sourceId"
  | "refId"
  | "number"
  | "shas"
  | "edits"
  | "nameEdit"
  | "runId"
  | "createdAt"
>;

/** Adds a contribution behind those that its campaign (locked, or just inserted) has. */
export async function addContribution(
  db: Db,
  projectId: string,
  { edits, nameEdit, ...contribution }: NewContribution,
): Promise<void> {
  const { next } = await db
    .selectFrom("sourceContributions")
    .select(sql<number>`coalesce(max(ordinal) + 1, 0)`.as("next"))
    .where("projectId", "=", projectId)
    .where("campaignId", "=", contribution.campaignId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto("sourceContributions")
    .values({
      ...contribution,
      projectId,
      ordinal: next,
      edits: JSON.stringify(edits),
      nameEdit: nameEdit === null ? null : JSON.stringify(nameEdit),
    })
    .execute();
}

/** Takes contributions back. Needs their campaign locked. */
export async function withdrawContributions(
  db: Db,
  projectId: string,
  ids: readonly string[],
  now: number,
): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable("sourceContributions")
    .set({ withdrawnAt: now })
    .where("projectId", "=", projectId)
    .where("id", "in", ids)
    .where("withdrawnAt", "is", null)
    .execute();
}

/** Writes the commits that a contribution has become. What has landed is the ref's from then on. Needs its campaign locked. */
export async function moveContribution(
  db: Db,
  projectId: string,
  refId: string,
  { contributionId, shas, landed }: ContributionMove,
): Promise<void> {
  await db
    .updateTable("sourceContributions")
    .set({ shas, landed, ...(landed.length === 0 ? {} : { refId }) })
    .where("projectId", "=", projectId)
    .where("id", "=", contributionId)
    .execute();
}

/** Drafts of a project that were never launched, newest first, with what a claim says of them. */
export type DraftRow = { id: string; createdBy: string; isApproved: boolean };

export async function listDrafts(db: Db, projectId: string, limit: number): Promise<DraftRow[]> {
  const { rows } = await sql<DraftRow>`
    select c.id, c.created_by as "createdBy", a.campaign_id is not null as "isApproved"
    from ${t.campaigns} c
    left join ${t.campaignApprovals} a on a.campaign_id = c.id and a.project_id = c.project_id
    where c.project_id = ${projectId} and c.status = 'draft' and c.started_at is null
    order by c.created_at desc, c.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Locks campaigns in one order, so that two of these never wait for each other; answers those that the project has. */
export async function lockCampaigns(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<{ id: string; isDraft: boolean }[]> {
  const { rows } = await sql<{ id: string; isDraft: boolean }>`
    select id, status = 'draft' and started_at is null as "isDraft" from ${t.campaigns}
    where project_id = ${projectId} and id = any(${[...ids]}::uuid[])
    order by id for update`.execute(db);
  return rows;
}

/** Campaigns (UUIDs) that announce commits of a source by contributions, by commit. */
export async function campaignIdsOf(
  db: Db,
  projectId: string,
  sourceId: string,
  shas: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  const { rows } = await sql<{ sha: string; ids: string[] }>`
    select sha, array_agg(distinct k.campaign_id) as ids
    from ${t.sourceContributions} k, unnest(k.shas || k.landed) as sha
    where k.project_id = ${projectId} and k.source_id = ${sourceId} and k.withdrawn_at is null
      and sha = any(${[...shas]}::text[])
    group by sha`.execute(db);
  return new Map(rows.map(({ sha, ids }) => [sha, ids]));
}
