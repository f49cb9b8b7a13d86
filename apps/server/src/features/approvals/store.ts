import { type Selectable, sql } from "kysely";
import type { Db, Tables } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";

export type ApprovalRow = Selectable<Tables["campaignApprovals"]>;

/** What a person decided about a campaign (UUID), or null. */
export async function findApproval(
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<ApprovalRow | null> {
  const row = await db
    .selectFrom("campaignApprovals")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .executeTakeFirst();
  return row ?? null;
}

export async function insertApproval(db: Db, approval: ApprovalRow): Promise<void> {
  await db.insertInto("campaignApprovals").values(approval).execute();
}

export async function deleteApproval(db: Db, projectId: string, campaignId: string): Promise<void> {
  await db
    .deleteFrom("campaignApprovals")
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .execute();
}

/** A campaign that announces changes and was never launched; `approvedBy` is null until a person allows it. */
export type WaitingCampaignRow = { id: string; name: string; createdAt: number; approvedBy: string | null };

/** Drafts that announce changes, newest first. */
export async function listWaitingDrafts(
  db: Db,
  projectId: string,
  limit: number,
): Promise<WaitingCampaignRow[]> {
  const { rows } = await sql<WaitingCampaignRow>`
    select c.id, c.name, c.created_at as "createdAt", a.approved_by as "approvedBy"
    from ${t.campaigns} c
    left join ${t.campaignApprovals} a on a.campaign_id = c.id and a.project_id = c.project_id
    where c.project_id = ${projectId} and c.status = 'draft' and c.started_at is null
      and exists (select from ${t.sourceChanges} d where d.project_id = c.project_id and d.campaign_id = c.id)
    order by c.created_at desc, c.id desc limit ${limit}`.execute(db);
  return rows;
}

/** The names of campaigns (UUIDs) by id. */
export async function listNames(
  db: Db,
  projectId: string,
  campaignIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (campaignIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("campaigns")
    .select(["id", "name"])
    .where("projectId", "=", projectId)
    .where("id", "in", campaignIds)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
