import type { Db } from "./db/db.ts";

/** Keeps the canary where there is none yet; the first one stays. */
export async function insertCanary(db: Db, sealed: Buffer): Promise<void> {
  await db
    .insertInto("secretKeyCanary")
    .values({ sealed })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function readCanary(db: Db): Promise<Buffer | null> {
  return (await db.selectFrom("secretKeyCanary").select("sealed").executeTakeFirst())?.sealed ?? null;
}

export async function replaceCanary(db: Db, sealed: Buffer): Promise<void> {
  await db.updateTable("secretKeyCanary").set({ sealed }).execute();
}
