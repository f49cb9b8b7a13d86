import { type Selectable, sql } from "kysely";
import type { Db, Tables } from "../../../../platform/db/db.ts";
import type { ProposalStatus } from "../schema.ts";

export type ProposalRow = Selectable<Tables["proposals"]>;

export type NewProposal = Pick<
  ProposalRow,
  | "id"
  | "projectId"
  | "campaignId"
  | "evaluationAt"
  | "payloadHash"
  | "mutationHash"
  | "createdAt"
  | "expiresAt"
> & { mutation: string; base: string; journey: string | null; proposedRunId: string | null };

export async function insertProposal(db: Db, row: NewProposal): Promise<ProposalRow> {
  return db.insertInto("proposals").values(row).returningAll().executeTakeFirstOrThrow();
}

export async function findProposal(
  db: Db,
  projectId: string,
  id: string,
  lock: "read" | "for update" = "read",
): Promise<ProposalRow | null> {
  const row = await db
    .selectFrom("proposals")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .$if(lock === "for update", (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

/** Has another proposal take the place of this one, which is kept: it is good for nothing any more. */
export async function supersedeProposal(db: Db, projectId: string, id: string, now: number): Promise<void> {
  await db
    .updateTable("proposals")
    .set({ supersededAt: now })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("supersededAt", "is", null)
    .where("consumedAt", "is", null)
    .where("status", "<>", "rejected")
    .execute();
}

/**
 * The proposals of a campaign that may still matter: pending, or decided for one evaluation, unless another one took their place. Newest
 * first.
 */
export async function listOpenProposals(
  db: Db,
  projectId: string,
  campaignId: string,
  evaluationAt: number | null,
): Promise<ProposalRow[]> {
  return db
    .selectFrom("proposals")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("supersededAt", "is", null)
    .where((where) => where.or([where("status", "=", "pending"), where("evaluationAt", "=", evaluationAt)]))
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .execute();
}

/** Whether people have rejected exactly this change, or its mutation for good. */
export async function isRejected(
  db: Db,
  projectId: string,
  campaignId: string,
  hashes: { payloadHash: string; mutationHash: string },
): Promise<boolean> {
  const row = await db
    .selectFrom("proposals")
    .select("id")
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("status", "=", "rejected")
    .where((where) =>
      where.or([
        where("payloadHash", "=", hashes.payloadHash),
        where.and([where("barred", "=", true), where("mutationHash", "=", hashes.mutationHash)]),
      ]),
    )
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses an approval; answers whether it could be: each can once. */
export async function consumeProposal(db: Db, projectId: string, id: string, now: number): Promise<boolean> {
  const row = await db
    .updateTable("proposals")
    .set({ consumedAt: now })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("status", "=", "approved")
    .where("consumedAt", "is", null)
    .where("supersededAt", "is", null)
    .where("expiresAt", ">", now)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export type ProposalDecision = Pick<
  ProposalRow,
  "decidedBy" | "decidedAt" | "decidedRunId" | "reason" | "barred" | "expiresAt"
> & { status: "approved" | "rejected" };

/** Decides a proposal that waits for people; null where it does not any more. */
export async function decideProposal(
  db: Db,
  projectId: string,
  id: string,
  decision: ProposalDecision,
  now: number,
): Promise<ProposalRow | null> {
  const row = await db
    .updateTable("proposals")
    .set(decision)
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("status", "=", "pending")
    .where("expiresAt", ">", now)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** `undefined` does not filter. */
export type ProposalFilter = {
  campaignId: string | undefined;
  /** `decided`: no longer pending. */
  status: ProposalStatus | "decided" | undefined;
  now: number;
};

/** Newest first. What waited too long for people counts as rejected. */
export async function listProposals(
  db: Db,
  projectId: string,
  { campaignId, status, now }: ProposalFilter,
  window: { offset: number; limit: number },
): Promise<{ rows: ProposalRow[]; total: number }> {
  const shown = sql<ProposalStatus>`case when status = 'pending' and expires_at <= ${now} then 'rejected' else status end`;
  let matching = db.selectFrom("proposals").where("projectId", "=", projectId);
  if (campaignId !== undefined) matching = matching.where("campaignId", "=", campaignId);
  if (status === "decided") matching = matching.where(shown, "<>", "pending");
  else if (status !== undefined) matching = matching.where(shown, "=", status);
  const { total } = await matching.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .offset(window.offset)
    .limit(window.limit)
    .execute();
  return { rows, total };
}
