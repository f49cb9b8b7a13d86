import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { relation } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { deltasCte, traitFacts, userFacts, userKindSql } from "../../counting/rollups/public.ts";

/** What is known of a user who is locked: their id in the customer's product, and their trait `email`, which may be any JSON. */
export type LockedUser = { externalId: string; email: unknown };

/**
 * Locks a user's row until the transaction ends, so that other writes for this user either are committed or wait. Null where there is no
 * such user.
 */
export async function lockUser(
  tx: Db,
  projectId: string,
  { lane, userKey }: UserRef,
): Promise<LockedUser | null> {
  const { rows } = await sql<LockedUser>`
    select external_id as "externalId", traits->'email' as email from ${t.users} where lane = ${lane} and user_key = ${userKey} and project_id = ${projectId}
    for update`.execute(tx);
  return rows[0] ?? null;
}

/** Deletes a user's row: their id in the customer's product, and their traits. */
export async function eraseUserRow(tx: Db, projectId: string, { lane, userKey }: UserRef): Promise<void> {
  const gone = relation<"lane" | "project_id" | "kind" | "before" | "after">("gone");
  await sql`
    with ${gone} as (
      delete from ${t.users} where lane = ${lane} and user_key = ${userKey} and project_id = ${projectId}
      returning lane, project_id, ${userKindSql("users")} as kind, traits as before, '{}'::jsonb as after
    ), ${deltasCte(traitFacts(gone), userFacts(gone, "-1")).ctes}
    select`.execute(tx);
}
