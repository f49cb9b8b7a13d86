import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { startsOf } from "../users/events/public.ts";

/**
 * Moves a user's deliveries, and those that were withheld, to the key of an anonymised user in the same lane, so that statistics stay.
 * Of the user's events it keeps, for each name, when it happened last, and when it happened first at or after each instant from which a
 * conversion may count: that decides for every attribution window. Call this before the user's events are deleted, and after their mail
 * was moved. `doers`: the keys under which what counts for these deliveries is recorded.
 */
export async function moveDeliveries(
  tx: Db,
  projectId: string,
  { from, to, doers }: { from: UserRef; to: UserRef; doers: readonly UserRef[] },
): Promise<void> {
  const keys = sql.join(doers.map(({ lane, userKey }) => sql`(${lane}::int2, ${userKey}::uuid)`));
  const done = sql`(lane, user_key) in (${keys}) and project_id = ${projectId}`;
  const theirs = sql`lane = ${from.lane} and user_key = ${from.userKey} and project_id = ${projectId}`;
  // Lock in the same order as feedback. The statements that follow see what feedback committed before.
  await sql`select from ${t.deliveries} where ${theirs} order by campaign_id, occasion for update`.execute(
    tx,
  );
  // The events are read once: the first one between two neighbouring starts is the first at or after the earlier of them.
  await sql`
    with starts as (
      select array_agg(distinct at order by at) as at from (${startsOf({
        lane: sql`${from.lane}`,
        userKey: sql`${from.userKey}`,
        projectId: sql`${projectId}`,
        mailKey: sql`${to.userKey}`,
      })}) each
    ),
    firsts as (
      select name, min(ts) as first from ${t.events}, starts
      where ${done} and ts >= starts.at[1]
      group by name, width_bucket(ts, starts.at)
    ),
    kept as (
      select name, first as hit from firsts
      -- Of events that were deleted for their age these instants were kept.
      union select name, unnest(retired_firsts) from ${t.eventCounts} where ${done}
    )
    insert into ${t.frozenEvents} (lane, user_key, name, project_id, last_at, hits)
    select ${to.lane}, ${to.userKey}, c.name, c.project_id, c.last_at, (
      select array_agg(hit order by hit) from kept k where k.name = c.name and hit >= starts.at[1]
    )
    from (
      select name, project_id, max(last_at) as last_at from ${t.eventCounts} where ${done} group by 1, 2
    ) c, starts
    where c.last_at >= starts.at[1]`.execute(tx);
  await sql`update ${t.deliveries} set user_key = ${to.userKey} where ${theirs}`.execute(tx);
  await sql`update ${t.withheldDeliveries} set user_key = ${to.userKey} where ${theirs}`.execute(tx);
  await sql`update ${t.unseenDeliveries} set user_key = ${to.userKey} where ${theirs}`.execute(tx);
}

/**
 * Names an anonymised user in place of a visitor in what was decided for the visitor and is the user's since, so that it stays a unit of its
 * own. Answers whether there was any.
 */
export async function anonymizeDecidedAs(
  tx: Db,
  projectId: string,
  user: UserRef,
  { from, to }: { from: UserRef; to: UserRef },
): Promise<boolean> {
  const theirs = sql`
    lane = ${user.lane} and user_key = ${user.userKey} and project_id = ${projectId} and decided_as = ${from.userKey}`;
  const { rows } = await sql`
    with served as (update ${t.deliveries} set decided_as = ${to.userKey} where ${theirs} returning 1),
    withheld as (update ${t.withheldDeliveries} set decided_as = ${to.userKey} where ${theirs} returning 1)
    select from served union all select from withheld limit 1`.execute(tx);
  return rows.length > 0;
}
