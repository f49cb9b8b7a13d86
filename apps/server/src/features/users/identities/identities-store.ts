import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/** A visitor who became a user. `linkedAt` is epoch milliseconds. */
export type Identity = { userKey: string; linkedAt: number; hasDeliveriesApart: boolean; dropped: number };

/** The visitors who became a user, the latest first. */
export async function listIdentities(
  db: Db,
  projectId: string,
  { lane, userKey }: UserRef,
  limit: number,
): Promise<Identity[]> {
  const { rows } = await sql<Identity>`
    select user_key as "userKey", linked_at as "linkedAt", units > 0 as "hasDeliveriesApart", dropped
    from ${t.identities}
    where to_lane = ${lane} and to_user_key = ${userKey} and project_id = ${projectId}
    order by linked_at desc, user_key limit ${limit}`.execute(db);
  return rows;
}
