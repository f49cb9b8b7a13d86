import type { Selectable } from "kysely";
import type { Db, Tables } from "../../../../platform/db/db.ts";

export type AppliedRow = Selectable<Tables["appliedMutations"]>;
type NewApplied = Omit<AppliedRow, "mutation"> & { mutation: string };

/** What was applied in an evaluation, oldest first. */
export async function listApplied(
  db: Db,
  projectId: string,
  campaignId: string,
  evaluationAt: number,
): Promise<AppliedRow[]> {
  return db
    .selectFrom("appliedMutations")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("evaluationAt", "=", evaluationAt)
    .orderBy("appliedAt")
    .orderBy("payloadHash")
    .execute();
}

/** Keeps that a change was applied: at most once in an evaluation. */
export async function insertApplied(db: Db, row: NewApplied): Promise<void> {
  await db.insertInto("appliedMutations").values(row).execute();
}
