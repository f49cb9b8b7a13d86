import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { isOfVisitor } from "./visitors-store.ts";

/** Lanes whose counter of active users differs from the rows it counts. */
export const countActiveDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (select lane, project_id, period, count(*) as users from ${t.activeUsers} group by 1, 2, 3) counted
    full join ${t.activeUserCounts} kept using (lane, project_id, period)
    where counted.users is distinct from kept.users`,
  );

/** Active users who are neither known nor erased. */
export const countStrangersAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.activeUsers} a
    where not exists (
      select from ${t.users} u where u.lane = a.lane and u.user_key = a.user_key and u.project_id = a.project_id
    ) and not exists (
      select from ${t.erasedUsers} g where g.lane = a.lane and g.user_key = a.user_key and g.project_id = a.project_id
    )`,
  );

/** Users, and no visitors, whom a message has reached, or who have events that are not history, but who are active in no period. */
export const countUncountedAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (
      select lane, user_key from ${t.deliveries} d
      where d.shown_at is not null
        or (d.sent_at is not null and exists (select from ${t.campaigns} c where c.id = d.campaign_id and c.channel = 'email'))
      union
      select lane, user_key from ${t.eventCounts} c
      where c.count > c.history and not exists (select from ${t.erasingUsers} x where x.lane = c.lane and x.user_key = c.user_key)
    ) met
    where not exists (select from ${t.activeUsers} a where a.lane = met.lane and a.user_key = met.user_key)
      and not ${isOfVisitor("met")}`,
  );

/** Organizations marked as caught up with a change of their period that does not exist. */
export const countStrayCatchUpsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.usageCatchUps} u
    where not exists (
      select from ${t.settingChanges} c where c.id = u.change_id and c.organization_id = u.organization_id
    )`,
  );

/** Active users who are visitors. */
export const countActiveVisitorsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(db, sql`select from ${t.activeUsers} a where ${isOfVisitor("a")}`);
