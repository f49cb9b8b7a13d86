import { sql } from "kysely";
import type { DeliveryKey } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { isPassOver } from "../../campaigns/authoring/public.ts";
import { isDelivery } from "../../deliveries/public.ts";

const KINDS = ["waiting", "sending", "unknown", "failed", "capped", "suppressed"] as const;

type Row = Record<"planned" | "passes" | "unconfirmed" | "postponed" | (typeof KINDS)[number], number> & {
  isUnderWay: boolean;
  nextPassAt: number | null;
  fault: string | null;
  faultAt: number | null;
};

/**
 * How far the sending of a campaign is: counts of one snapshot. Each reads an index that has only the rows of its status. Of the messages that
 * were postponed those count that wait for this cap, and leave after it while their campaign still runs. @param cap null for no cap that
 * messages wait for @param now epoch milliseconds
 */
export async function readProgress(
  db: Db,
  projectId: string,
  campaignId: string,
  { cap, now }: { cap: string | null; now: number },
) {
  const counts = KINDS.map(
    (kind) =>
      sql`(select count(*) from ${t.emailSends} s
        where s.campaign_id = c.id and s.project_id = c.project_id and s.status = ${sql.lit(kind)}) as ${sql.ref(kind)}`,
  );
  const { rows } = await sql<Row>`
    select (select count(*) from ${t.deliveries} d where d.campaign_id = c.id and d.project_id = c.project_id) as planned,
      ${sql.join(counts)}, (
        select count(*) from ${t.emailSends} s
        where s.campaign_id = c.id and s.project_id = c.project_id and s.postponed_by = ${cap} and s.due_at > ${now}
          and c.status <> 'ended' and (c.deliver_until is null or s.due_at < c.deliver_until)
      ) as postponed, coalesce(p.sweeps, 0) as passes, coalesce(p.unconfirmed, 0) as unconfirmed, p.after_lane is not null as "isUnderWay",
      case when not ${isPassOver("c", "p")} then p.next_sweep_at end as "nextPassAt", p.fault, p.fault_at as "faultAt"
    from ${t.campaigns} c left join ${t.campaignSweeps} p on p.campaign_id = c.id
    where c.id = ${campaignId} and c.project_id = ${projectId}`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new Error("The campaign is not there.");
  const { planned, waiting, sending, unknown, failed, capped, suppressed, fault, faultAt } = row;
  return {
    planned,
    waiting,
    sending,
    unknown,
    failed,
    suppressed,
    frequencyCapped: capped,
    postponed: row.postponed,
    unconfirmed: row.unconfirmed,
    accepted: planned - waiting - sending - unknown - failed - capped - suppressed,
    planning: { passes: row.passes, underWay: row.isUnderWay, nextPassAt: row.nextPassAt },
    fault: fault === null || faultAt === null ? null : { message: fault, at: faultAt },
  };
}

/**
 * Of the message of a delivery: whether it was handed over without an answer, so that a person decides about it; and until when (epoch ms) it
 * waits for this cap, null where it does not, or not any more. @param cap null for no cap that messages wait for
 */
export async function readSend(
  db: Db,
  projectId: string,
  delivery: DeliveryKey,
  { cap, now }: { cap: string | null; now: number },
): Promise<{ isUnanswered: boolean; postponedUntil: number | null }> {
  const row = await db
    .selectFrom("emailSends")
    .select(["status", "dueAt", "postponedBy"])
    .where(isDelivery("email_sends", projectId, delivery))
    .executeTakeFirst();
  const isPostponed = row !== undefined && cap !== null && row.postponedBy === cap && row.dueAt > now;
  return { isUnanswered: row?.status === "unknown", postponedUntil: isPostponed ? row.dueAt : null };
}
