import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { withValue } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { isOpen } from "../../campaigns/authoring/public.ts";
import { UNCONFIRMED } from "./gates/confirmation.ts";

const COUNTED = ["sent", "delivered", "opened", "clicked", "bounced", "complained", "unsubscribed"] as const;
type Counted = (typeof COUNTED)[number];

/** `refused`: bounces that no mail server had taken before. Their sends have failed. */
export type EmailTotals = Record<Counted | "frequencyCapped" | "refused", number>;

/**
 * Sums over all email campaigns of a project, since the first, as people count: what came back was sent, and did not arrive. The counters
 * of campaigns have what was ever recorded, so those that came back are looked at, in an index that has them alone.
 */
export async function readEmailTotals(db: Db, projectId: string): Promise<EmailTotals> {
  const columns = [...COUNTED, "frequency_capped"].map(
    (name) => sql`coalesce(sum(s.${sql.ref(name)}), 0)::int8 as ${sql.ref(name)}`,
  );
  const ofProject = sql`c.project_id = ${projectId} and c.channel = 'email'`;
  const { rows } = await sql<Record<Counted | "frequencyCapped", number>>`
    select ${sql.join(columns)} from ${t.campaigns} c join ${t.campaignStats} s on s.campaign_id = c.id where ${ofProject}`.execute(
    db,
  );
  const { rows: returned } = await sql<{ refused: number; delivered: number }>`
    select count(*) filter (where d.sent_at is null) as refused, count(d.delivered_at) as delivered
    from ${t.campaigns} c join ${t.deliveries} d on d.campaign_id = c.id and d.bounced_at is not null where ${ofProject}`.execute(
    db,
  );
  const [totals] = rows;
  const [back] = returned;
  if (totals === undefined || back === undefined) throw new Error("Sums without a row.");
  const { refused, delivered } = back;
  return { ...totals, refused, sent: totals.sent + refused, delivered: totals.delivered - delivered };
}

/** What waits, by what it waits for; and what is on its way, unknown, failed or left out. */
export type EmailQueue = {
  due: number;
  paced: number;
  postponed: number;
  retrying: number;
  unconfirmed: number;
  notRunning: number;
  ended: number;
  sending: number;
  unknown: number;
  failed: number;
  suppressed: number;
  withdrawn: number;
};

/** The sends of a project that are not accepted. Each count reads an index that has only the rows of its status. */
export async function readEmailQueue(db: Db, projectId: string, now: number): Promise<EmailQueue> {
  const open = withValue((at) => isOpen("c", at), now);
  const later = sql`${open} and s.due_at > ${now}`;
  const others = (["sending", "unknown", "failed", "suppressed", "withdrawn"] as const).map(
    (status) => sql`(
      select count(*) from ${t.campaigns} c join ${t.emailSends} s on s.campaign_id = c.id and s.status = ${sql.lit(status)}
      where c.project_id = ${projectId}
    ) as ${sql.ref(status)}`,
  );
  const { rows } = await sql<EmailQueue>`
    select w.*, ${sql.join(others)} from (
      select count(*) filter (where ${open} and s.due_at <= ${now}) as due,
        count(*) filter (where ${later} and s.reason is null and s.postponed_by is null) as paced,
        count(*) filter (where ${later} and s.postponed_by is not null) as postponed,
        count(*) filter (where ${later} and s.reason <> ${UNCONFIRMED}) as retrying,
        count(*) filter (where ${later} and s.reason = ${UNCONFIRMED}) as unconfirmed,
        count(*) filter (where c.status <> 'ended' and not (${open})) as "notRunning",
        count(*) filter (where c.status = 'ended') as ended
      from ${t.campaigns} c join ${t.emailSends} s on s.campaign_id = c.id and s.status = 'waiting'
      where c.project_id = ${projectId}
    ) w`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("Counts without a row.");
  return row;
}

/** A running campaign of which nothing leaves, and since when (epoch milliseconds). */
export type StoppedCampaign = { campaignId: string; campaignName: string; fault: string; at: number };

/** The longest stopped first. */
export async function listStoppedCampaigns(
  db: Db,
  projectId: string,
  limit: number,
): Promise<StoppedCampaign[]> {
  const { rows } = await sql<StoppedCampaign>`
    select c.id as "campaignId", c.name as "campaignName", p.fault, p.fault_at as at
    from ${t.campaignSweeps} p join ${t.campaigns} c on c.id = p.campaign_id
    where p.project_id = ${projectId} and c.channel = 'email' and c.status = 'running' and p.fault is not null
    order by p.fault_at, c.id limit ${limit}`.execute(db);
  return rows;
}

/** When the pace of the whole project lets the next message leave, epoch milliseconds; null where nothing was paced yet. */
export async function readPace(db: Db, projectId: string): Promise<number | null> {
  const row = await db
    .selectFrom("emailThrottles")
    .select("nextAt")
    .where("projectId", "=", projectId)
    .where("domain", "=", "")
    .executeTakeFirst();
  // Kept in microseconds.
  return row === undefined ? null : Math.ceil(row.nextAt / 1_000);
}
