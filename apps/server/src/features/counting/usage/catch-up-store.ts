import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { relation } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { Period } from "./rules.ts";
import { countActiveCtes } from "./store.ts";
import { isOfVisitor } from "./visitors-store.ts";

/** An organization whose period may have changed since its users were last counted into it, and one of its projects. */
export type ChangedPeriod = { organizationId: string; projectId: string; changeId: number };

export async function findChangedPeriodsAcrossProjects(db: Db): Promise<ChangedPeriod[]> {
  const { rows } = await sql<ChangedPeriod>`
    select c.organization_id as "organizationId", c.change_id as "changeId", (
      select p.id from ${t.projects} p where p.organization_id = c.organization_id order by p.id limit 1
    ) as "projectId"
    from (
      select organization_id, max(id) as change_id from ${t.settingChanges}
      where organization_id is not null and key in ('org.billingStatus', 'org.periodStart', 'org.periodEnd')
      group by 1
    ) c
    left join ${t.usageCatchUps} u on u.organization_id = c.organization_id
    where c.change_id > coalesce(u.change_id, 0)`.execute(db);
  return rows;
}

/**
 * Counts an organization's users of a lane as active in a period: those who were ever active and were seen since its start, and those who
 * have a message that was shown or accepted since; no visitors. Waits for an erasure that has locked one of them.
 */
export async function catchUpActiveUsers(
  db: Db,
  organizationId: string,
  lane: number,
  { key, start }: Pick<Period, "key" | "start">,
): Promise<void> {
  const caughtUp = relation<"lane" | "user_key" | "project_id" | "period">("caught_up");
  await sql`
    with seen as (
      select u.lane, u.user_key, u.project_id
      from ${t.projects} p join ${t.users} u on u.project_id = p.id
      where p.organization_id = ${organizationId} and u.lane = ${lane} and u.last_seen_at >= ${start}
        -- A user can be seen without having been active: only those count who were active in some period.
        and exists (select from ${t.activeUsers} a where a.lane = u.lane and a.user_key = u.user_key)
      order by u.user_key for key share of u
    ),
    reached as (
      select d.lane, d.user_key, d.project_id
      from ${t.projects} p join ${t.deliveries} d on d.project_id = p.id join ${t.campaigns} c on c.id = d.campaign_id
      where p.organization_id = ${organizationId} and d.lane = ${lane} and not ${isOfVisitor("d")}
        and (
          d.shown_at >= ${start} or (c.channel = 'email' and d.sent_at >= ${start})
          -- A delivery keeps its first impression; the later ones have their receipts.
          or (d.shown_at is not null and (d.user_key, d.campaign_id, d.occasion) in (
            select r.user_key, r.campaign_id, r.occasion from ${t.feedbackReceipts} r
            where r.lane = ${lane} and r.type = 'shown' and r.acknowledged_at >= ${start}
          ))
        )
      order by d.user_key, d.campaign_id, d.occasion for key share of d
    ),
    ${caughtUp} as (
      select *, ${key}::int4 as period from seen
      union
      select *, ${key}::int4 from reached
    ),
    ${countActiveCtes(caughtUp).ctes}
    select`.execute(db);
}

export async function markCaughtUp(db: Db, organizationId: string, changeId: number): Promise<void> {
  await db
    .insertInto("usageCatchUps")
    .values({ organizationId, changeId })
    .onConflict((conflict) =>
      conflict
        .column("organizationId")
        .doUpdateSet({ changeId: sql`greatest(${t.usageCatchUps}.change_id, excluded.change_id)` }),
    )
    .execute();
}
