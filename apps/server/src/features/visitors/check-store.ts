import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { withheldKey } from "../deliveries/public.ts";

/** Tables that have nothing under the key of a visitor who became a user, but for what is still being moved. */
const MOVED = [t.events, t.eventCounts];

/**
 * Visitors who became a user and are not gone: with a row of their own, an active period, events that are not being moved, another number of
 * deliveries than is counted, or a user who is not there; and visitors whose key is not that of their id.
 */
export const countHalfMergedAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.identities} l
    where exists (select from ${t.users} u where u.lane = l.lane and u.user_key = l.user_key)
      or exists (select from ${t.activeUsers} a where a.lane = l.lane and a.user_key = l.user_key)
      or not exists (
        select from ${t.users} u where u.lane = l.to_lane and u.user_key = l.to_user_key and u.project_id = l.project_id
      )
      or (l.units > 0) <> exists (
        select from ${t.users} u where u.lane = l.to_lane and u.user_key = l.to_user_key and l.user_key = any(u.left_by)
      )
      or l.units <> (
        select count(*) from ${t.deliveries} d where d.lane = l.lane and d.user_key = l.user_key
      ) + (
        select count(*) from ${t.withheldDeliveries} w where w.lane = l.lane and w.user_key = l.user_key
      )
      or (not l.is_moving and (${sql.join(
        MOVED.map(
          (table) => sql`exists (select from ${table} e where e.lane = l.lane and e.user_key = l.user_key)`,
        ),
        sql` or `,
      )}))
      or uuid_send(l.user_key) <> substring(
        sha256(convert_to(l.project_id::text, 'UTF8') || '\\x00' || convert_to(l.external_id, 'UTF8')) for 16
      )`,
  );

/** Deliveries that a visitor left of campaigns which the user whom they became has none of: they should be the user's. */
export const countLeftBehindAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.identities} l
    join (
      select ${withheldKey()} from ${t.deliveries}
      union all select ${withheldKey()} from ${t.withheldDeliveries}
    ) d on d.lane = l.lane and d.user_key = l.user_key
    where l.units > 0 and not exists (
      select from ${t.deliveries} o
      where o.lane = l.to_lane and o.user_key = l.to_user_key and o.campaign_id = d.campaign_id
    ) and not exists (
      select from ${t.withheldDeliveries} o
      where o.lane = l.to_lane and o.user_key = l.to_user_key and o.campaign_id = d.campaign_id
    )`,
  );
