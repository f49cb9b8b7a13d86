import type { Db } from "../../platform/db/db.ts";

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

/** Keeps a key where the domain has none; of two that come at once, the first stays. */
export async function insertDkimKey(db: Db, projectId: string, row: NewDkimKey): Promise<void> {
  await db
    .insertInto("dkimKeys")
    .values({ projectId, ...row })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Puts a key in the place of the domain's old one, and is not verified yet. */
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

/** Marks a key as seen in DNS; false when it is the domain's key no more. */
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
