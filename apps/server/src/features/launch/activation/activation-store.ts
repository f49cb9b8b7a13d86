import { type Selectable, sql } from "kysely";
import type { Db, Tables } from "../../../platform/db/db.ts";
import type { LaunchMode } from "../schema.ts";

export type ReceiptRow = Selectable<Tables["launchReceipts"]>;
export type WarningRow = Selectable<Tables["launchWarnings"]>;

/** A campaign's own mode, and the number of its last change; 0 is before the first. */
export type StoredActivation = { mode: LaunchMode | null; revision: number };

export async function readActivation(
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<StoredActivation> {
  const row = await db
    .selectFrom("campaignActivations")
    .select(["mode", "revision"])
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .executeTakeFirst();
  return row ?? { mode: null, revision: 0 };
}

/** Needs the transaction that locked the campaign. */
export async function writeActivation(
  db: Db,
  projectId: string,
  campaignId: string,
  { mode, revision }: StoredActivation,
): Promise<void> {
  await db
    .insertInto("campaignActivations")
    .values({ projectId, campaignId, mode, revision })
    .onConflict((conflict) =>
      conflict
        .column("campaignId")
        .doUpdateSet({ mode, revision })
        .where("campaignActivations.projectId", "=", projectId),
    )
    .execute();
}

/** Whether commits brought something to a campaign (UUID), and all of it was taken back. */
export async function isWithdrawn(db: Db, projectId: string, campaignId: string): Promise<boolean> {
  const { brought, left } = await db
    .selectFrom("sourceContributions")
    .select(sql<number>`count(*)`.as("brought"))
    .select(sql<number>`count(*) filter (where withdrawn_at is null)`.as("left"))
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("kind", "!=", "withdraw")
    .executeTakeFirstOrThrow();
  return brought > 0 && left === 0;
}

/** The person who allowed a campaign to launch by itself, when (epoch ms), and the revision that they had seen. */
export type Allowance = Pick<
  Selectable<Tables["campaignApprovals"]>,
  "approvedBy" | "approvedAt" | "revision"
>;

/** That a person allowed a campaign to launch by itself; null where no person did. */
export async function findAllowance(
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<Allowance | null> {
  const row = await db
    .selectFrom("campaignApprovals")
    .select(["approvedBy", "approvedAt", "revision"])
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .executeTakeFirst();
  return row ?? null;
}

export async function insertReceipt(
  db: Db,
  receipt: Omit<ReceiptRow, "evidence"> & { evidence: string },
): Promise<void> {
  await db.insertInto("launchReceipts").values(receipt).execute();
}

export async function findReceipt(db: Db, projectId: string, campaignId: string): Promise<ReceiptRow | null> {
  const row = await db
    .selectFrom("launchReceipts")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .executeTakeFirst();
  return row ?? null;
}

/** Newest first. */
export async function listWarnings(
  db: Db,
  projectId: string,
  campaignId: string,
  limit: number,
): Promise<WarningRow[]> {
  return db
    .selectFrom("launchWarnings")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

type WarningKey = Pick<WarningRow, "campaignId" | "mappingId" | "deploymentId" | "reason">;

/** Adds changes to a warning that was given already; answers whether it was. Needs the campaign locked. */
export async function extendWarning(
  db: Db,
  projectId: string,
  { campaignId, mappingId, deploymentId, reason }: WarningKey,
  requirementIds: readonly string[],
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("launchWarnings")
    .set({ requirementIds: sql`requirement_ids || ${JSON.stringify(requirementIds)}::jsonb` })
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("mappingId", "=", mappingId)
    .where("deploymentId", "=", deploymentId)
    .where("reason", "=", reason)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function insertWarning(
  db: Db,
  warning: Omit<WarningRow, "evidence" | "requirementIds"> & { evidence: string; requirementIds: string },
): Promise<void> {
  await db.insertInto("launchWarnings").values(warning).execute();
}
