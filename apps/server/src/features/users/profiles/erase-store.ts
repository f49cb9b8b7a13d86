import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { relation } from "../../../platform/db/fragment.ts";
import { deltasCte, traitFacts } from "../../counting/rollups/public.ts";

/**
 * Locks a user's row until the transaction ends, so that other writes for this user either are committed or wait. Answers whether
 * there is such a user.
 */
export async function lockUser(tx: Db, projectId: string, { lane, userKey }: UserRef): Promise<boolean> {
  const { rows } = await sql`
    select from users where lane = ${lane} and user_key = ${userKey} and project_id = ${projectId}
    for update`.execute(tx);
  return rows.length > 0;
}

/** Deletes a user's row: their id in the customer's product, and their traits. */
export async function eraseUserRow(tx: Db, projectId: string, { lane, userKey }: UserRef): Promise<void> {
  const gone = relation<"lane" | "project_id" | "before" | "after">("gone");
  await sql`
    with ${sql.raw(gone)} as (
      delete from users where lane = ${lane} and user_key = ${userKey} and project_id = ${projectId}
      returning lane, project_id, traits as before, '{}'::jsonb as after
    ), ${sql.raw(deltasCte(traitFacts(gone)).ctes)}
    select`.execute(tx);
}
