import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { isPassOver } from "../../campaigns/authoring/public.ts";

const KINDS = ["waiting", "sending", "unknown", "failed", "capped", "suppressed"] as const;

type Row = Record<"planned" | "passes" | "unconfirmed" | (typeof KINDS)[number], number> & {
  isUnderWay: boolean;
  nextPassAt: number | null;
  fault: string | null;
  faultAt: number | null;
};

/** How far the sending of a campaign is: counts of one snapshot. Each reads an index that has only the rows of its status. */
export async function readProgress(db: Db, projectId: string, campaignId: string) {
  const counts = KINDS.map(
    (kind) =>
      sql`(select count(*) from email_sends s
        where s.campaign_id = c.id and s.project_id = c.project_id and s.status = ${sql.lit(kind)}) as ${sql.ref(kind)}`,
  );
  const { rows } = await sql<Row>`
    select (select count(*) from deliveries d where d.campaign_id = c.id and d.project_id = c.project_id) as planned,
      ${sql.join(counts)}, coalesce(p.sweeps, 0) as passes, coalesce(p.unconfirmed, 0) as unconfirmed, p.after_lane is not null as "isUnderWay",
      case when not ${sql.raw(isPassOver("c", "p"))} then p.next_sweep_at end as "nextPassAt", p.fault, p.fault_at as "faultAt"
    from campaigns c left join campaign_sweeps p on p.campaign_id = c.id
    where c.id = ${campaignId} and c.project_id = ${projectId}`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new Error("The campaign is not there.");
  const { planned, waiting, sending, unknown, failed, capped, suppressed, fault, faultAt } = row;
  return {
    ...{ planned, waiting, sending, unknown, failed, suppressed, frequencyCapped: capped },
    unconfirmed: row.unconfirmed,
    accepted: planned - waiting - sending - unknown - failed - capped - suppressed,
    planning: { passes: row.passes, underWay: row.isUnderWay, nextPassAt: row.nextPassAt },
    fault: fault === null || faultAt === null ? null : { message: fault, at: faultAt },
  };
}
