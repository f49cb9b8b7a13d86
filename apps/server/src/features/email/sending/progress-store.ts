import { sql } from "kysely";
import type { DeliveryKey } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { isPassOver } from "../../campaigns/authoring/public.ts";
import { isDelivery } from "../../deliveries/public.ts";
import { kindOfWaitSql, type Wait, type WaitsFor } from "../../timing/waiting.pure.ts";

const KINDS = ["waiting", "sending", "unknown", "failed", "capped", "suppressed", "withdrawn"] as const;

type Row = Record<"planned" | "passes" | "unconfirmed" | (typeof KINDS)[number], number> & {
  /** By what they wait for; without those that none waits for. */
  postponedBy: Partial<Record<Wait, number>> | null;
  isUnderWay: boolean;
  nextPassAt: number | null;
  fault: string | null;
  faultAt: number | null;
};

/**
 * How far the sending of a campaign is: counts of one snapshot. An index answers each alone, that of deliveries or one that has only the rows of
 * a status, so the project is asked of the campaign. Of the messages that
 * were postponed those count that wait for these words, and leave while their campaign still runs. @param now epoch milliseconds
 */
export async function readProgress(
  db: Db,
  projectId: string,
  campaignId: string,
  { words, now }: { words: readonly string[]; now: number },
) {
  const counts = KINDS.map(
    (kind) =>
      sql`(select count(*) from ${t.emailSends} s
        where s.campaign_id = c.id and s.status = ${sql.lit(kind)}) as ${sql.ref(kind)}`,
  );
  const { rows } = await sql<Row>`
    select (select count(*) from ${t.deliveries} d where d.campaign_id = c.id) as planned,
      ${sql.join(counts)}, (
        select json_object_agg(w.kind, w.count) from (
          select ${sql.raw(kindOfWaitSql("s.postponed_by"))} as kind, count(*) from ${t.emailSends} s
          where s.campaign_id = c.id and s.project_id = c.project_id and s.postponed_by = any(${[...words]}::text[]) and s.due_at > ${now}
            and c.status <> 'ended' and (c.deliver_until is null or s.due_at < c.deliver_until)
          group by 1
        ) w
      ) as "postponedBy", coalesce(p.sweeps, 0) as passes, coalesce(p.unconfirmed, 0) as unconfirmed, p.after_lane is not null as "isUnderWay",
      case when not ${isPassOver("c", "p")} then p.next_sweep_at end as "nextPassAt", p.fault, p.fault_at as "faultAt"
    from ${t.campaigns} c left join ${t.campaignSweeps} p on p.campaign_id = c.id
    where c.id = ${campaignId} and c.project_id = ${projectId}`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new Error("The campaign is not there.");
  const { planned, waiting, sending, unknown, failed, capped, suppressed, withdrawn, fault, faultAt } = row;
  const { local_hour: localHour = 0, quiet = 0, pressure = 0, cap = 0 } = row.postponedBy ?? {};
  return {
    planned,
    waiting,
    sending,
    unknown,
    failed,
    suppressed,
    frequencyCapped: capped,
    withdrawn,
    postponed: localHour + quiet + pressure + cap,
    postponedBy: { localHour, quiet, pressure, cap },
    unconfirmed: row.unconfirmed,
    accepted: planned - waiting - sending - unknown - failed - capped - suppressed - withdrawn,
    planning: { passes: row.passes, underWay: row.isUnderWay, nextPassAt: row.nextPassAt },
    fault: fault === null || faultAt === null ? null : { message: fault, at: faultAt },
  };
}

/**
 * Of the message of a delivery: whether it was handed over without an answer, so that a person decides about it; and for what it waits, null where
 * it does not.
 */
export async function readSend(
  db: Db,
  projectId: string,
  delivery: DeliveryKey,
): Promise<{ isUnanswered: boolean; attempts: number; waiting: WaitsFor | null }> {
  const row = await db
    .selectFrom("emailSends")
    .select(["status", "dueAt", "postponedBy", "attempts"])
    .where(isDelivery("email_sends", projectId, delivery))
    .executeTakeFirst();
  const { status, dueAt = 0, postponedBy = null, attempts = 0 } = row ?? {};
  return {
    attempts,
    isUnanswered: status === "unknown",
    waiting: postponedBy === null ? null : { by: postponedBy, until: dueAt },
  };
}
