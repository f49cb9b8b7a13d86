import type { Db } from "../../../platform/db/db.ts";
import type { LaunchMode } from "../schema.ts";

/** How campaigns launch that say nothing of their own, and the number of the last change; 0 is before the first. */
export type StoredPolicy = { defaultMode: LaunchMode; revision: number };

const AT_FIRST: StoredPolicy = { defaultMode: "automatic", revision: 0 };

export async function readPolicy(db: Db, projectId: string): Promise<StoredPolicy> {
  const row = await db
    .selectFrom("launchPolicies")
    .select(["defaultMode", "revision"])
    .where("projectId", "=", projectId)
    .executeTakeFirst();
  return row ?? AT_FIRST;
}

/** Changes the policy from one revision to the next; null where that is not the revision of now. */
export async function changePolicy(
  db: Db,
  projectId: string,
  defaultMode: LaunchMode,
  from: number,
): Promise<StoredPolicy | null> {
  const next = { defaultMode, revision: from + 1 };
  if (from === AT_FIRST.revision) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto("launchPolicies")
      .values({ projectId, ...next })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return (numInsertedOrUpdatedRows ?? 0n) > 0n ? next : null;
  }
  const { numUpdatedRows } = await db
    .updateTable("launchPolicies")
    .set(next)
    .where("projectId", "=", projectId)
    .where("revision", "=", from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n ? next : null;
}
