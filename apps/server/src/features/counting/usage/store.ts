import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { type Fragment, type Relation, relation } from "../../../platform/db/statements/fragment.ts";
import { sqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/**
 * CTEs that count the users of `source` as active in their period, once each however often they come. Part of the statement that records what made them active.
 */
export function countActiveCtes(source: Relation<"lane" | "user_key" | "project_id" | "period">): Fragment {
  const newlyActive = relation<"lane" | "project_id" | "period">("newly_active");
  const ctes = sqlText(`
  ${newlyActive} as (
    insert into ${t.activeUsers} (lane, user_key, period, project_id)
    select distinct lane, user_key, period, project_id from ${source} order by lane, user_key
    on conflict do nothing
    returning lane, project_id, period
  ),
  active_counted as (
    insert into ${t.activeUserCounts} as c (lane, project_id, period, users)
    select lane, project_id, period, count(*) from ${newlyActive} group by 1, 2, 3 order by 1, 2, 3
    on conflict (lane, project_id, period) do update set users = c.users + excluded.users
  )`);
  return { ctes };
}

/** Counts a user as active in a period. */
export async function countActive(
  tx: Db,
  projectId: string,
  { lane, userKey }: UserRef,
  period: number,
): Promise<void> {
  const active = relation<"lane" | "user_key" | "project_id" | "period">("active");
  await sql`
    with ${active} as (
      select ${lane}::int2 as lane, ${userKey}::uuid as user_key, ${projectId}::uuid as project_id, ${period}::int4 as period
    ), ${countActiveCtes(active).ctes}
    select`.execute(tx);
}

/** A project's usage in a period. */
export type ProjectUsage = { id: string; name: string; activeUsers: number; frequencyCapped: number };

/** The usage of an organization's projects in a period, oldest project first: sums of counters, found by their keys. */
export async function countUsage(db: Db, organizationId: string, period: number): Promise<ProjectUsage[]> {
  const theirs = sql`t.lane = any(array(select generate_series(0, 63)::int2)) and t.project_id = p.id and t.period = ${period}`;
  const { rows } = await sql<ProjectUsage>`
    select p.id, p.name,
      (select coalesce(sum(t.users), 0)::int8 from ${t.activeUserCounts} t where ${theirs}) as "activeUsers",
      (select coalesce(sum(t.deliveries), 0)::int8 from ${t.emailCappedCounts} t where ${theirs}) as "frequencyCapped"
    from ${t.projects} p where p.organization_id = ${organizationId} order by p.created_at, p.id`.execute(db);
  return rows;
}

/** Moves the periods in which a user was active to another user of the same lane; the counters stay as they are. */
export async function moveActiveUser(tx: Db, projectId: string, from: UserRef, to: UserRef): Promise<void> {
  await sql`
    update ${t.activeUsers} set user_key = ${to.userKey}
    where lane = ${from.lane} and user_key = ${from.userKey} and project_id = ${projectId}`.execute(tx);
}

/** Counts the active users of a project that has no counters yet. */
export async function recountActiveUsers(tx: Db, projectId: string): Promise<void> {
  await sql`
    insert into ${t.activeUserCounts} (lane, project_id, period, users)
    select lane, project_id, period, count(*) from ${t.activeUsers} where project_id = ${projectId} group by 1, 2, 3`.execute(
    tx,
  );
}
