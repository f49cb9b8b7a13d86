import type { Db } from "../db/db.ts";

/** Stores the canary (a sealed text that shows whether the key is the same) if there is none yet. */
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
