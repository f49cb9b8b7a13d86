import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { relation } from "../../platform/db/statements/fragment.ts";
import { sqlText } from "../../platform/db/statements/sql-text.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { laneSql } from "../users/identities/public.ts";
import { COUNTERS, type Counter, tallyCte } from "./counters-store.ts";
import { deliveryKey, withheldKey } from "./key-store.ts";

/** Whether any campaign has met a user: with a delivery, or with one that was withheld. */
export async function wasMet(db: Db, projectId: string, { lane, userKey }: UserRef): Promise<boolean> {
  const theirs = sql`lane = ${lane} and user_key = ${userKey} and project_id = ${projectId}`;
  const { rows } = await sql<{ met: boolean }>`
    select exists (select from ${t.deliveries} where ${theirs})
      or exists (select from ${t.withheldDeliveries} where ${theirs}) as met`.execute(db);
  return rows[0]?.met ?? false;
}

/**
 * Takes deliveries out of the way that a user has not seen, of campaigns that the visitor has: the person has seen these, in the visitor's
 * variant, and must not see them again. That they were decided is kept, because goals count whom they have met.
 */
async function setUnseenAside(tx: Db, projectId: string, from: UserRef, to: UserRef): Promise<void> {
  await sql`
    with gone as (
      delete from ${t.deliveries} d
      where d.lane = ${to.lane} and d.user_key = ${to.userKey} and d.project_id = ${projectId} and d.exposed_at is null and d.state = 'queued'
        and exists (
          select from ${t.deliveries} v
          where v.lane = ${from.lane} and v.user_key = ${from.userKey} and v.campaign_id = d.campaign_id and v.exposed_at is not null
        )
      returning d.*
    )
    insert into ${t.unseenDeliveries} (${withheldKey()}, project_id, variant_id, epoch, queued_at)
    select ${withheldKey()}, project_id, variant_id, epoch, queued_at from gone order by ${withheldKey()}
    on conflict do nothing`.execute(tx);
}

/**
 * Closes deliveries that a user has seen and not answered, of campaigns that the visitor has answered: the person has, and must not be shown
 * them again. They count as dismissed when the visitor answered, or when the user saw them, whichever was later.
 */
async function closeAnswered(tx: Db, projectId: string, from: UserRef, to: UserRef): Promise<void> {
  const closed = relation<"lane" | "campaign_id" | "variant_id" | "project_id" | "dismissed">("closed");
  await sql`
    with ${closed} as (
      update ${t.deliveries} d set state = 'dismissed', dismissed_at = greatest(d.shown_at, v.dismissed_at, v.clicked_at, v.converted_at)
      from ${t.deliveries} v
      where d.lane = ${to.lane} and d.user_key = ${to.userKey} and d.project_id = ${projectId} and d.state = 'shown'
        and v.lane = ${from.lane} and v.user_key = ${from.userKey} and v.campaign_id = d.campaign_id
        and v.state in ('clicked', 'dismissed', 'converted')
      returning d.lane, d.campaign_id, d.variant_id, d.project_id, 1 as dismissed
    ), ${tallyCte(closed, ["dismissed"]).ctes}
    select`.execute(tx);
}

/**
 * Moves the deliveries of a visitor, withheld ones too, to a user whom their campaigns have not met: as they are, with all of their instants.
 * Those of campaigns that the user has already stay under the visitor's key, so that no unit of a campaign is lost. `isApart`: campaigns have
 * met both, so a goal counts the two as two units. Both users are locked. Answers how many stay.
 */
export async function adoptDeliveries(
  tx: Db,
  projectId: string,
  { from, to, isApart }: { from: UserRef; to: UserRef; isApart: boolean },
): Promise<number> {
  const theirs = sql`lane = ${from.lane} and user_key = ${from.userKey} and project_id = ${projectId}`;
  const own = sql`lane = ${to.lane} and user_key = ${to.userKey} and project_id = ${projectId}`;
  // All that this transaction may change, in the order of feedback, which locks deliveries and no users. What follows sees what it committed before.
  await sql`
    select from ${t.deliveries}
    where project_id = ${projectId} and (lane, user_key) in (
      select ${from.lane}::int2, ${from.userKey}::uuid
      union select ${to.lane}::int2, ${to.userKey}::uuid
      union select ${laneSql("visitor_key")}, visitor_key from ${t.users} u, unnest(u.left_by) visitor_key
        where u.lane = ${to.lane} and u.user_key = ${to.userKey}
    )
    order by ${deliveryKey()} for update`.execute(tx);
  await setUnseenAside(tx, projectId, from, to);
  await closeAnswered(tx, projectId, from, to);
  const decidedAs = isApart ? sql`${from.userKey}::uuid` : sql`decided_as`;
  const moved = relation<"lane" | "campaign_id" | "variant_id" | "project_id" | Counter>("moved");
  const signed = (lane: number, sign: string) => sql`
    select ${lane}::int2 as lane, campaign_id, variant_id, project_id, ${sqlText(
      COUNTERS.map((name) =>
        name === "frequency_capped"
          ? `${sign}(state = 'frequency_capped')::int as ${name}`
          : `${sign}(${name}_at is not null)::int as ${name}`,
      ).join(", "),
    )} from gone`;
  const { rows } = await sql<{ kept: number }>`
    with met as (
      select campaign_id from ${t.deliveries} where ${own}
      union select campaign_id from ${t.withheldDeliveries} where ${own}
    ),
    gone as (
      update ${t.deliveries} set lane = ${to.lane}, user_key = ${to.userKey}, decided_as = ${decidedAs}
      where ${theirs} and campaign_id not in (select campaign_id from met) returning *
    ),
    withheld as (
      update ${t.withheldDeliveries} set lane = ${to.lane}, user_key = ${to.userKey}, decided_as = ${decidedAs}
      where ${theirs} and campaign_id not in (select campaign_id from met) returning campaign_id
    ),
    ${moved} as (${signed(from.lane, "-")} union all ${signed(to.lane, "")}),
    ${tallyCte(moved, COUNTERS).ctes}
    select ((select count(*) from ${t.deliveries} where ${theirs}) + (select count(*) from ${t.withheldDeliveries} where ${theirs})
      - (select count(*) from gone) - (select count(*) from withheld))::int4 as kept`.execute(tx);
  return rows[0]?.kept ?? 0;
}
