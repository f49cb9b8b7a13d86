import type { Db } from "../../../platform/db/db.ts";
import type { AddressRef } from "./address-ref.ts";

/** Locks an address until the transaction ends. Answers why it is suppressed, or null. */
export async function lockSuppression(
  tx: Db,
  projectId: string,
  { lane, addressKey }: AddressRef,
): Promise<string | null> {
  const row = await tx
    .selectFrom("emailAddresses")
    .select("suppressedBy")
    .where("lane", "=", lane)
    .where("addressKey", "=", addressKey)
    .where("projectId", "=", projectId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.suppressedBy ?? null;
}

/** A decision about an address: why it was suppressed before and after, null where it was not. `at` is epoch milliseconds. */
export type SuppressionChange = { before: string | null; after: string | null; by: string; at: number };

export async function insertSuppressionChange(
  tx: Db,
  projectId: string,
  { lane, addressKey }: AddressRef,
  { before, after, by, at }: SuppressionChange,
): Promise<void> {
  await tx
    .insertInto("suppressionChanges")
    .values({ projectId, lane, addressKey, before, after, changedBy: by, changedAt: at })
    .execute();
}

/** What people decided, newest first; the address is null once its user was erased. */
export async function listSuppressionChanges(
  db: Db,
  projectId: string,
  limit: number,
): Promise<(SuppressionChange & { address: string | null })[]> {
  return db
    .selectFrom("suppressionChanges as c")
    .leftJoin("emailAddresses as a", (join) =>
      join
        .onRef("a.lane", "=", "c.lane")
        .onRef("a.addressKey", "=", "c.addressKey")
        .onRef("a.projectId", "=", "c.projectId"),
    )
    .select(["a.address", "c.before", "c.after", "c.changedBy as by", "c.changedAt as at"])
    .where("c.projectId", "=", projectId)
    .orderBy("c.id", "desc")
    .limit(limit)
    .execute();
}

/** The person who decided that an address is suppressed for this reason; null where no person did. */
export async function readStopper(
  db: Db,
  projectId: string,
  { lane, addressKey }: AddressRef,
  reason: string | null,
): Promise<string | null> {
  const row = await db
    .selectFrom("suppressionChanges")
    .select(["after", "changedBy"])
    .where("projectId", "=", projectId)
    .where("lane", "=", lane)
    .where("addressKey", "=", addressKey)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined && row.after === reason ? row.changedBy : null;
}
