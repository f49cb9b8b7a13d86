import type { Db } from "../../../platform/db/db.ts";
import { newUuid } from "../../../platform/uuid.ts";

/** The present identity secret of a project, sealed; null before one was made. */
export async function findIdentitySecret(db: Db, projectId: string): Promise<Buffer | null> {
  const row = await db
    .selectFrom("identitySecrets")
    .select("sealed")
    .where("projectId", "=", projectId)
    .where("expiresAt", "is", null)
    .executeTakeFirst();
  return row?.sealed ?? null;
}

/**
 * Replaces the present secret. It and earlier ones are believed until `formerUntil` (epoch ms) at most: an earlier secret keeps the end
 * that it had, where that is sooner. Needs a transaction.
 */
export async function replaceIdentitySecret(
  tx: Db,
  projectId: string,
  { sealed, createdAt, formerUntil }: { sealed: Buffer; createdAt: number; formerUntil: number },
): Promise<void> {
  await tx
    .updateTable("identitySecrets")
    .set((row) => ({ expiresAt: row.fn<number>("least", ["expiresAt", row.val(formerUntil)]) }))
    .where("projectId", "=", projectId)
    .execute();
  await tx
    .deleteFrom("identitySecrets")
    .where("projectId", "=", projectId)
    .where("expiresAt", "<=", createdAt)
    .execute();
  await tx
    .insertInto("identitySecrets")
    .values({ id: newUuid(createdAt), projectId, sealed, createdAt })
    .execute();
}

/** A secret that is believed: the present one, or a former one until its end (epoch ms). */
export type BelievedSecret = { createdAt: number; expiresAt: number | null };

/** The secrets of a project that are believed at `now`, the present one first. */
export async function listBelievedSecrets(db: Db, projectId: string, now: number): Promise<BelievedSecret[]> {
  return db
    .selectFrom("identitySecrets")
    .select(["createdAt", "expiresAt"])
    .where("projectId", "=", projectId)
    .where((where) => where.or([where("expiresAt", "is", null), where("expiresAt", ">", now)]))
    .orderBy("expiresAt", (order) => order.desc().nullsFirst())
    .execute();
}
