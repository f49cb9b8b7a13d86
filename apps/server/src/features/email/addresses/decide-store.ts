import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { AddressRef } from "./address-ref.ts";

/** Locks an address until the transaction ends. Answers why it gets no mail of campaigns, or else why no receipts, or null. */
export async function lockSuppression(
  tx: Db,
  projectId: string,
  { lane, addressKey }: AddressRef,
): Promise<string | null> {
  const row = await tx
    .selectFrom("emailAddresses")
    .select(["suppressedBy", "receiptsStoppedBy"])
    .where("lane", "=", lane)
    .where("addressKey", "=", addressKey)
    .where("projectId", "=", projectId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.suppressedBy ?? row?.receiptsStoppedBy ?? null;
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

/**
 * SQL: the person who decided that the address `a` of `email_addresses` is suppressed for the reason that it has now; null where no person did,
 * because the address was suppressed for another reason since then.
 */
export const stopperOf = (projectId: string): RawBuilder<string | null> => sql<string | null>`(
  select case when c.after = a.suppressed_by then c.changed_by end from ${t.suppressionChanges} c
  where c.project_id = ${projectId} and c.lane = a.lane and c.address_key = a.address_key
  order by c.id desc limit 1
)`;

/** The person who decided that an address is suppressed; null where it is not, or no person did. */
export async function readStopper(
  db: Db,
  projectId: string,
  { lane, addressKey }: AddressRef,
): Promise<string | null> {
  const { rows } = await sql<{ by: string | null }>`
    select ${stopperOf(projectId)} as by from ${t.emailAddresses} a
    where a.lane = ${lane} and a.address_key = ${addressKey} and a.project_id = ${projectId}`.execute(db);
  return rows[0]?.by ?? null;
}
