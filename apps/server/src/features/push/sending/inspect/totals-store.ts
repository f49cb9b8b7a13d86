import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import type { SqlText } from "../../../../platform/db/statements/sql-text.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { deliveryKey } from "../../../deliveries/public.ts";
import { ofDelivery } from "../recipient-store.ts";
import { sameSlot } from "../slot-store.ts";
import { countsUser, type PauseReason, slotKindSql } from "./sending-store.ts";

/** All counts of a campaign, from one statement: one snapshot, so that they add up. */
export type Totals = Record<
  | "targeted"
  | "usersTargeted"
  | "usersAccepted"
  | "engaged"
  | "converted"
  | "attempts"
  | "accepted"
  | "receiptObserved"
  | "receiptUnknown"
  | "confirmed"
  | "possible"
  | "blocks"
  | "pending"
  | "waiting"
  | "targets"
  | "slots"
  | "recipients"
  | "recipientsWaiting"
  | "recipientsActive"
  | "observations"
  | "conversions"
  | "testTargets",
  number
>;

export async function countTotals(
  db: Db,
  projectId: string,
  campaignId: string,
  pauseReason: PauseReason,
): Promise<Totals> {
  const usersOf = (table: SqlText) => sql`(
    select count(*) filter (where ${countsUser("r", table)}) from ${table} r
    where r.campaign_id = ${campaignId} and r.project_id = ${projectId}
  )`;
  const { rows } = await sql<Totals>`
    with per_delivery as (
      select ${deliveryKey("s")}, count(*) as slots, sum(s.generation) as targets, sum(s.attempts) as attempts,
        count(*) filter (where s.state = 'accepted') as accepted, count(s.receipt_at) as observed,
        count(*) filter (where s.receipt_at is null and (s.state = 'accepted' or s.possible_submissions > 0)) as unobserved,
        sum(s.submissions_used - s.possible_submissions) as confirmed, sum(s.possible_submissions) as possible,
        sum(s.blocks) as blocks, count(*) filter (where s.state = 'reserved') as pending,
        count(*) filter (where ${slotKindSql(pauseReason)} = 'waiting') as waiting,
        count(*) filter (where s.state not in ('accepted', 'closed')) as open
      from ${t.pushSlots} s
      where s.campaign_id = ${campaignId} and s.project_id = ${projectId} and not s.is_test
      group by ${deliveryKey("s")}
    ),
    summed as (
      select coalesce(sum(slots), 0)::int8 as slots, coalesce(sum(targets), 0)::int8 as targets,
        coalesce(sum(attempts), 0)::int8 as attempts, coalesce(sum(accepted), 0)::int8 as accepted,
        coalesce(sum(observed), 0)::int8 as observed, coalesce(sum(unobserved), 0)::int8 as unobserved,
        coalesce(sum(confirmed), 0)::int8 as confirmed, coalesce(sum(possible), 0)::int8 as possible,
        coalesce(sum(blocks), 0)::int8 as blocks, coalesce(sum(pending), 0)::int8 as pending,
        coalesce(sum(waiting), 0)::int8 as waiting,
        count(*) filter (where ${countsUser("d", t.pushSlots, "not f.is_test")}) as users,
        count(*) filter (
          where accepted > 0 and ${countsUser("d", t.pushSlots, "not f.is_test and f.state = 'accepted'")}
        ) as users_accepted, count(*) filter (where open > 0) as open
      from per_delivery d
    ),
    planned as (
      select count(*) as recipients, count(*) filter (where state = 'waiting') as waiting
      from ${t.pushRecipients} r where campaign_id = ${campaignId} and project_id = ${projectId} and ${ofDelivery("r")}
    )
    select t.slots as targeted, t.users as "usersTargeted", t.users_accepted as "usersAccepted",
      ${usersOf(t.pushEngagements)} as engaged, ${usersOf(t.pushConversions)} as converted, t.attempts, t.accepted,
      t.observed as "receiptObserved", t.unobserved as "receiptUnknown", t.confirmed, t.possible, t.blocks, t.pending,
      t.waiting, t.targets, t.slots, p.recipients, p.waiting as "recipientsWaiting",
      t.open as "recipientsActive", (
        select count(*) from ${t.pushObservations}
        where campaign_id = ${campaignId} and project_id = ${projectId} and not is_test
      ) as observations, (
        select count(*) from ${t.pushConversions} where campaign_id = ${campaignId} and project_id = ${projectId}
      ) as conversions, (
        select coalesce(sum(s.generation), 0)::int8 from ${t.pushTests} q
        join ${t.pushSlots} s on ${sameSlot("s", "q")}
        where q.campaign_id = ${campaignId} and q.project_id = ${projectId}
      ) as "testTargets"
    from summed t, planned p`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new Error("A count without a row.");
  return row;
}
