import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { startsOf, userOf } from "./starts-store.ts";

/** SQL condition: the row of an alias is of a visitor who became a user, to whom events are still being moved. */
const isMoving = (alias: string) =>
  sql`exists (select from ${t.identities} l where l.lane = ${sql.ref(`${alias}.lane`)} and l.user_key = ${sql.ref(`${alias}.user_key`)} and l.is_moving)`;

/**
 * Users and event names whose stored count or times differ from the events themselves. `retired` counts events deleted for their age;
 * with such events, the first time need only be no later than that of the events that are left. Times of users who are being
 * erased are not compared, nor those of visitors whose events are being moved: these go in no order of time.
 */
export const countEventDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (
      select lane, user_key, name, count(*) as count, min(ts) as first_at, max(ts) as last_at
      from ${t.events} group by 1, 2, 3
    ) counted
    full join ${t.eventCounts} kept using (lane, user_key, name)
    where coalesce(counted.count, 0) is distinct from kept.count - kept.retired
      or (kept.retired > 0) is distinct from (kept.retired_until is not null)
      or (
        (greatest(counted.last_at, kept.retired_until) is distinct from kept.last_at
          or case when kept.retired > 0 then kept.first_at > least(counted.first_at, kept.retired_until)
            else kept.first_at is distinct from counted.first_at end)
        and not exists (select from ${t.erasingUsers} x where x.lane = kept.lane and x.user_key = kept.user_key)
        and not ${isMoving("kept")}
      )`,
  );

/**
 * Users and event names whose events were deleted for their age without keeping what a conversion is judged by: the first one, and one
 * after the last start before them; or that keep an instant that none of them had.
 */
export const countLostFirstsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.eventCounts} c, lateral (
      select min(at) as first, max(at) filter (where at <= c.retired_until) as last from (${startsOf(userOf("c"))}) each
    ) starts
    where c.retired > 0 and (
      exists (select from unnest(c.retired_firsts) first where first not between c.first_at and c.retired_until)
      or (starts.last is not null and not exists (
        select from unnest(c.retired_firsts) first where first between starts.last and c.retired_until
      ))
      or (starts.first <= c.first_at and c.first_at <> all (coalesce(c.retired_firsts, '{}')) and not exists (
        select from ${t.events} e
        where e.lane = c.lane and e.user_key = c.user_key and e.name = c.name and e.ts = c.first_at
      ))
    )`,
  );

/** Users and event names of which more, or fewer than no, events count as history than there were. */
export const countMiscountedHistoryAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(db, sql`select from ${t.eventCounts} where history not between 0 and count`);

/** Counts of events whose user neither exists nor is being erased, and is no visitor whose events are being moved. Reads the counts alone: the check above compares them with the events. */
export const countOrphanEventsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.eventCounts} c
    where not exists (
      select from ${t.users} u where u.lane = c.lane and u.user_key = c.user_key and u.project_id = c.project_id
    ) and not exists (
      select from ${t.erasingUsers} x where x.lane = c.lane and x.user_key = c.user_key and x.project_id = c.project_id
    ) and not ${isMoving("c")}`,
  );
