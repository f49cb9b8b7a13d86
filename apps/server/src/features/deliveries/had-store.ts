import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";

/** Which of some users have a delivery of a campaign (UUID) on any occasion, by their keys: the holdout has been decided for them. */
export async function findHad(
  db: Db,
  projectId: string,
  campaignId: string,
  users: readonly UserRef[],
): Promise<ReadonlySet<string>> {
  if (users.length === 0) return new Set();
  const { rows } = await sql<{ userKey: string }>`
    select n.user_key as "userKey"
    from unnest(${users.map(({ lane }) => lane)}::int2[], ${users.map(({ userKey }) => userKey)}::uuid[]) n (lane, user_key)
    where exists (
      select from ${t.deliveries} d
      where d.lane = n.lane and d.user_key = n.user_key and d.campaign_id = ${campaignId} and d.project_id = ${projectId}
      offset 0
    )`.execute(db);
  return new Set(rows.map(({ userKey }) => userKey));
}
