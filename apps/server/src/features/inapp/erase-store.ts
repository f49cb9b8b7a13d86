import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import type { UserRef } from "../../platform/ids.ts";

/** Forgets what a user reported of messages; what became of the deliveries is theirs to keep. */
export async function eraseReceipts(tx: Db, { lane, userKey }: UserRef): Promise<void> {
  await sql`delete from feedback_receipts where lane = ${lane} and user_key = ${userKey}`.execute(tx);
}

/** Receipts of deliveries that are not there. */
export async function countOrphanReceiptsAcrossProjects(db: Db): Promise<number> {
  const { rows } = await sql<{ differences: number }>`
    select count(*) as differences from feedback_receipts r
    where not exists (
      select from deliveries d where d.lane = r.lane and d.user_key = r.user_key and d.campaign_id = r.campaign_id
    )`.execute(db);
  return rows[0]?.differences ?? 0;
}
