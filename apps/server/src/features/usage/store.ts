import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import type { UserRef } from "../../platform/ids.ts";

/**
 * CTEs that count the users of `source` (lane, user_key, project_id, period) as active in their period, once each however
 * often they come. Part of the statement that records what made them active.
 */
export const countActiveCtes = (source: string): string => `
  newly_active as (
    insert into active_users (lane, user_key, period, project_id)
    select distinct lane, user_key, period, project_id from ${source} order by lane, user_key
    on conflict do nothing
    returning lane, project_id, period
  ),
  active_counted as (
    insert into active_user_counts as c (lane, project_id, period, users)
    select lane, project_id, period, count(*) from newly_active group by 1, 2, 3 order by 1, 2, 3
    on conflict (lane, project_id, period) do update set users = c.users + excluded.users
  )`;

/** Counts what a user was active in as another row of the same lane: the numbers stay. */
export async function moveActiveUser(tx: Db, projectId: string, from: UserRef, to: UserRef): Promise<void> {
  await sql`
    update active_users set user_key = ${to.userKey}
    where lane = ${from.lane} and user_key = ${from.userKey} and project_id = ${projectId}`.execute(tx);
}

/** Lanes whose counter of active users differs from the rows it counts. */
export async function countActiveDifferencesAcrossProjects(db: Db): Promise<number> {
  const { rows } = await sql<{ differences: number }>`
    select count(*) as differences
    from (select lane, project_id, period, count(*) as users from active_users group by 1, 2, 3) counted
    full join active_user_counts kept using (lane, project_id, period)
    where counted.users is distinct from kept.users`.execute(db);
  return rows[0]?.differences ?? 0;
}

/** Active users who are neither known nor erased. */
export async function countStrangersAcrossProjects(db: Db): Promise<number> {
  const { rows } = await sql<{ differences: number }>`
    select count(*) as differences from active_users a
    where not exists (
      select from users u where u.lane = a.lane and u.user_key = a.user_key and u.project_id = a.project_id
    ) and not exists (
      select from erased_users g where g.lane = a.lane and g.user_key = a.user_key and g.project_id = a.project_id
    )`.execute(db);
  return rows[0]?.differences ?? 0;
}
