import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { deliveryKey, sameDelivery } from "../deliveries/public.ts";

/** Projects (UUIDs) with mail that was requested before an instant, epoch milliseconds. */
export async function findWithOldDataAcrossProjects(db: Db, before: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id from ${t.projects} p
    where exists (select from ${t.sendData} r where r.project_id = p.id and r.requested_at < ${before})`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Deletes what mails were filled with that were requested before an instant (epoch ms) and wait no more; answers how many, at most `limit`. */
export async function forgetOldData(
  db: Db,
  projectId: string,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const { rows } = await sql<{ forgotten: number }>`
    with old as materialized (
      select ${deliveryKey("r")} from ${t.sendData} r
      join ${t.emailSends} s on ${sameDelivery("s", "r")}
      join ${t.campaigns} c on c.id = r.campaign_id
      where r.project_id = ${projectId} and r.requested_at < ${before}
        and (s.status not in ('waiting', 'sending') or s.status = 'waiting' and c.status = 'ended')
      order by r.requested_at limit ${limit} for update of r skip locked
    ),
    files as (delete from ${t.sendFiles} f using old o where ${sameDelivery("f", "o")} and f.project_id = ${projectId}),
    gone as (delete from ${t.sendData} r using old o where ${sameDelivery("r", "o")} returning 1)
    select count(*)::int4 as forgotten from gone`.execute(db);
  return rows[0]?.forgotten ?? 0;
}

/** Deletes what sensitive mails were filled with that have reached their end, and keeps that they were requested; answers how many, at most `limit`. */
export async function forgetSealedAcrossProjects(db: Db, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with ended as materialized (
      select ${deliveryKey("r")} from ${t.sendData} r
      join ${t.emailSends} s on ${sameDelivery("s", "r")}
      where r.sealed is not null and s.status in ('accepted', 'failed', 'suppressed', 'capped', 'withdrawn')
      order by r.requested_at limit ${limit} for update of r skip locked
    )
    update ${t.sendData} r set sealed = null from ended e where ${sameDelivery("r", "e")}`.execute(db);
  return Number(numAffectedRows);
}
