import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";

/**
 * Users and names whose kept count or times differ from the events themselves. The times of those who are being erased are let be:
 * their events go in no order of time.
 */
export const countEventDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (
      select lane, user_key, name, count(*) as count, min(ts) as first_at, max(ts) as last_at
      from events group by 1, 2, 3
    ) counted
    full join event_counts kept using (lane, user_key, name)
    where counted.count is distinct from kept.count
      or ((counted.first_at, counted.last_at) is distinct from (kept.first_at, kept.last_at) and not exists (
        select from erasing_users x where x.lane = kept.lane and x.user_key = kept.user_key
      ))`,
  );

/** Names of events of users who are not known, nor being erased. What is counted is what there is, or the check above says so. */
export const countOrphanEventsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from event_counts c
    where not exists (
      select from users u where u.lane = c.lane and u.user_key = c.user_key and u.project_id = c.project_id
    ) and not exists (
      select from erasing_users x where x.lane = c.lane and x.user_key = c.user_key and x.project_id = c.project_id
    )`,
  );
