import { type RawBuilder, sql } from "kysely";
import { apiId, type UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { isCampaignOf } from "./key-store.ts";
import { isDecidedBeside, sharingKeys } from "./results/left-store.ts";
import type { VariantConversions } from "./schema.ts";

/** A campaign whose message a user would have got, had they not been held out of its goal. `withheldAt`: epoch milliseconds. */
export type UserWithheld = {
  campaignId: string;
  campaignName: string;
  goalId: string | null;
  goalName: string | null;
  withheldAt: number;
};

/** The campaigns that were withheld from a user, newest first. The goal is the one under which that was decided. */
export async function listUserWithheld(
  db: Db,
  projectId: string,
  { lane, userKey }: UserRef,
  limit: number,
): Promise<UserWithheld[]> {
  const { rows } = await sql<UserWithheld>`
    select w.campaign_id as "campaignId", c.name as "campaignName", g.id as "goalId", g.name as "goalName",
      w.withheld_at as "withheldAt"
    from ${t.withheldDeliveries} w
    join ${t.campaigns} c on c.id = w.campaign_id and c.project_id = w.project_id
    left join lateral (
      select a.goal_id from ${t.allocations} a where a.campaign_id = w.campaign_id and a.epoch = w.epoch limit 1
    ) a on true
    left join ${t.goals} g on g.id = a.goal_id and g.project_id = w.project_id
    where w.lane = ${lane} and w.user_key = ${userKey} and w.project_id = ${projectId}
    order by w.withheld_at desc, w.campaign_id desc limit ${limit}`.execute(db);
  return rows.map(({ campaignId, goalId, ...row }) => ({
    ...row,
    campaignId: apiId("cmp", campaignId),
    goalId: goalId === null ? null : apiId("goal", goalId),
  }));
}

type ConversionQuestion = { campaignId: string; event: string; evaluatedAt: number };

/** What is counted: each delivery, or each user by all of their deliveries together, who was exposed when the first of these was. */
type Unit = "deliveries" | "users";

/**
 * SQL that selects what is counted of the exposed deliveries of a condition. A user who got several variants counts for the one of the earliest
 * occasion.
 */
const exposedBy = (unit: Unit, condition: RawBuilder<unknown>): RawBuilder<unknown> =>
  unit === "deliveries"
    ? sql`select d.lane, d.user_key, d.variant_id, d.exposed_at, d.occasion from ${t.deliveries} d where ${condition}`
    : sql`
      select d.lane, d.user_key, (array_agg(d.variant_id order by d.occasion))[1] as variant_id, min(d.exposed_at) as exposed_at,
        0 as occasion
      from ${t.deliveries} d where ${condition} group by d.lane, d.user_key`;

type Counted = { id: string; name: string; exposed: number; converted: number; late: number; again: number };

/** SQL condition: the delivery `d` of the campaign is exposed at or before the instant of the question. */
const isExposed = (projectId: string, { campaignId, evaluatedAt }: ConversionQuestion): RawBuilder<boolean> =>
  sql`d.project_id = ${projectId} and d.campaign_id = ${campaignId} and d.exposed_at <= ${evaluatedAt}`;

/**
 * Conversions by variant of users whose last such event is after the instant, so that the single events have to be read. A separate
 * query, because this part keeps a statement from running in parallel (1,000,000 deliveries: 660 ms against 500).
 */
async function countLateConversions(
  db: Db,
  projectId: string,
  question: ConversionQuestion,
  unit: Unit,
): Promise<ReadonlyMap<string, number>> {
  const { event, evaluatedAt } = question;
  const { rows } = await sql<{ variantId: string; converted: number }>`
    select d.variant_id as "variantId", count(*) as converted
    from (${exposedBy(unit, isExposed(projectId, question))}) d
    join ${t.eventCounts} c
      on c.lane = d.lane and c.user_key = d.user_key and c.name = ${event} and c.project_id = ${projectId}
    where c.last_at > ${evaluatedAt} and (
        -- For events that were deleted for their age, the time of the last one is kept.
        c.retired_until between d.exposed_at and ${evaluatedAt} or exists (
          select from ${t.events} e
          where e.lane = d.lane and e.user_key = d.user_key and e.name = ${event}
            and e.ts >= d.exposed_at and e.ts <= ${evaluatedAt}
        )
      )
    group by d.variant_id`.execute(db);
  return new Map(rows.map(({ variantId, converted }) => [variantId, converted]));
}

/** Exposed and converted deliveries or users by variant (UUID). `again`: deliveries of later occasions among them. */
async function countExposedBy(
  db: Db,
  projectId: string,
  question: ConversionQuestion,
  unit: Unit,
): Promise<Counted[]> {
  const { campaignId, event, evaluatedAt } = question;
  const ofUser = (row: string) =>
    sql`${isCampaignOf("d", row, campaignId)} and d.exposed_at <= ${evaluatedAt}`;
  const hits = (counts: string) => {
    const column = (name: string) => sql.ref(`${counts}.${name}`);
    const isIn = (instant: RawBuilder<unknown>) => sql`${instant} between d.exposed_at and ${evaluatedAt}`;
    return sql`(
      ${isIn(column("last_at"))} or ${isIn(column("retired_until"))} or (${column("last_at")} > ${evaluatedAt} and exists (
        select from ${t.events} e
        where e.lane = ${column("lane")} and e.user_key = ${column("user_key")} and e.name = ${event} and ${isIn(sql`e.ts`)}
      ))
    )`;
  };
  const { rows } = await sql<Counted>`
    with exposed as (
      select d.variant_id, count(*) as exposed, count(*) filter (where d.occasion > 0) as again,
        count(*) filter (where c.last_at >= d.exposed_at and c.last_at <= ${evaluatedAt}) as converted,
        count(*) filter (where c.last_at > ${evaluatedAt}) as late
      from (${exposedBy(unit, isExposed(projectId, question))}) d
      left join ${t.eventCounts} c
        on c.lane = d.lane and c.user_key = d.user_key and c.name = ${event} and c.project_id = ${projectId}
      group by d.variant_id
    ),
    frozen as (
      select d.variant_id, count(*) as converted
      from ${t.frozenEvents} f, lateral (${exposedBy(unit, ofUser("f"))} offset 0) d
      where f.project_id = ${projectId} and f.name = ${event} and d.exposed_at <= f.last_at
      group by d.variant_id
    ),
    beside as (
      select d.variant_id, count(*) as converted
      from (${sharingKeys(projectId)}) k, lateral (${exposedBy(unit, ofUser("k"))} offset 0) d
      where ${isDecidedBeside("d", { projectId, event, hits })}
      group by d.variant_id
    )
    select v.id, v.name, coalesce(e.exposed, 0) as exposed, coalesce(e.again, 0) as again,
      coalesce(e.converted, 0) + coalesce(f.converted, 0) + coalesce(b.converted, 0) as converted, coalesce(e.late, 0) as late
    from ${t.variants} v left join exposed e on e.variant_id = v.id left join frozen f on f.variant_id = v.id
    left join beside b on b.variant_id = v.id
    where v.project_id = ${projectId} and v.campaign_id = ${campaignId}
    order by v.position`.execute(db);
  if (!rows.some(({ late }) => late > 0)) return rows;
  const late = await countLateConversions(db, projectId, question, unit);
  return rows.map((row) => ({ ...row, converted: row.converted + (late.get(row.id) ?? 0) }));
}

/**
 * Exposed and converted deliveries of a campaign, and users, by variant, for any event name, at one instant. A delivery converts when its user
 * did `event` at or after exposure and at or before `evaluatedAt`. The time of the user's last such event decides; where it is
 * after `evaluatedAt`, the single events do. Of erased users only that time is left: they are few, and are looked up one by one
 * instead of reading all deliveries again. The same goes for what visitors left who became users. Users are counted by themselves only where some had the message on later occasions. `db` has to
 * read at one instant: an event between two statements would be counted by both.
 */
export async function countConversions(
  db: Db,
  projectId: string,
  question: ConversionQuestion,
): Promise<VariantConversions[]> {
  const deliveries = await countExposedBy(db, projectId, question, "deliveries");
  const users = deliveries.some(({ again }) => again > 0)
    ? await countExposedBy(db, projectId, question, "users")
    : deliveries;
  return deliveries.map(({ id, name, exposed, converted }, at) => ({
    variantId: apiId("var", id),
    variantName: name,
    exposedDeliveries: exposed,
    exposedUsers: users[at]?.exposed ?? 0,
    convertedDeliveries: converted,
    convertedUsers: users[at]?.converted ?? 0,
  }));
}
