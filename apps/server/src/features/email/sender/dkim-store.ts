import type { Db } from "../../../platform/db/db.ts";

export type DkimRow = { sealedPrivateKey: Buffer; publicKey: string; verifiedAt: number | null };

export async function findDkimKey(db: Db, projectId: string, domain: string): Promise<DkimRow | null> {
  const row = await db
    .selectFrom("dkimKeys")
    .select(["sealedPrivateKey", "publicKey", "verifiedAt"])
    .where("projectId", "=", projectId)
    .where("domain", "=", domain)
    .executeTakeFirst();
  return row ?? null;
}

export type NewDkimKey = { domain: string; sealedPrivateKey: Buffer; publicKey: string; createdAt: number };

/** Stores a key if the domain has none; of two at the same time, the first stays. */
export async function insertDkimKey(db: Db, projectId: string, row: NewDkimKey): Promise<void> {
  await db
    .insertInto("dkimKeys")
    .values({ projectId, ...row })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Replaces the domain's key by another one, which is not verified yet. */
export async function replaceDkimKey(db: Db, projectId: string, row: NewDkimKey): Promise<void> {
  const { domain, ...key } = row;
  await db
    .insertInto("dkimKeys")
    .values({ projectId, domain, ...key })
    .onConflict((conflict) =>
      conflict.columns(["projectId", "domain"]).doUpdateSet({ ...key, verifiedAt: null }),
    )
    .execute();
}

/** Marks a key as seen in DNS; false when the domain has another key by now. */
export async function verifyDkimKey(
  db: Db,
  projectId: string,
  domain: string,
  publicKey: string,
  verifiedAt: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("dkimKeys")
    .set({ verifiedAt })
    .where("projectId", "=", projectId)
    .where("domain", "=", domain)
    .where("publicKey", "=", publicKey)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
