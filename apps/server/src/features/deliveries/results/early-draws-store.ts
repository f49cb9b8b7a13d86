import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { sameDelivery } from "../key-store.ts";

/**
 * Moves deliveries of push to epoch 0 whose users began to wait before the epoch began that the delivery names: former versions drew a
 * variant when a user began to wait. The same as migration 0079, for a project that comes from an older file.
 */
export async function forgetEarlyDraws(db: Db, projectId: string): Promise<void> {
  await sql`
    update ${t.deliveries} d set epoch = 0
    from ${t.pushRecipients} r
    join (
      select distinct campaign_id, epoch, started_at from ${t.allocations} where project_id = ${projectId}
    ) e on e.campaign_id = r.campaign_id
    where r.project_id = ${projectId} and r.state = 'active' and r.send_id = r.campaign_id and r.created_at < e.started_at
      and ${sameDelivery("d", "r")} and d.epoch = e.epoch
      and d.project_id = ${projectId}`.execute(db);
}
