import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { onFirstOccasion } from "../key-store.ts";
import { countsBeside, isUndecided, sharingKeys } from "./left-store.ts";
import { type ConversionCriteria, countOutcomes } from "./statistics-store.ts";

/** The variants of campaigns (UUIDs), each campaign's in their order. */
export async function listVariantsOf(
  db: Db,
  projectId: string,
  campaignIds: readonly string[],
): Promise<{ id: string; campaignId: string }[]> {
  return db
    .selectFrom("variants")
    .select(["id", "campaignId"])
    .where("projectId", "=", projectId)
    .where("campaignId", "in", campaignIds)
    .orderBy("position")
    .execute();
}

/** Deliveries of a variant that came back: all of them, those that count as sent, and those that count as delivered. */
export type Returned = { variantId: string; all: number; sent: number; delivered: number };

/** Deliveries of campaigns (UUIDs) that came back, by variant (UUID). Reads an index that has those alone. */
export async function countReturned(
  db: Db,
  projectId: string,
  campaignIds: readonly string[],
): Promise<Returned[]> {
  const { rows } = await sql<Returned>`
    select variant_id as "variantId", count(*) as all, count(sent_at) as sent, count(delivered_at) as delivered
    from ${t.deliveries}
    where project_id = ${projectId} and campaign_id in (${sql.join(campaignIds)}) and bounced_at is not null
    group by variant_id`.execute(db);
  return rows;
}

/** SQL condition: the first delivery of these campaigns (UUIDs) to a user, exposed at or before the instant of the question. */
const exposedOf = (
  projectId: string,
  campaignIds: readonly string[],
  { evaluatedAt }: ConversionCriteria,
) => sql`
  project_id = ${projectId} and campaign_id in (${sql.join(campaignIds)}) and exposed_at <= ${evaluatedAt}
  and ${onFirstOccasion(t.deliveries)}`;

/** Users of campaigns (UUIDs) who had the outcome within its window after they were exposed, by variant (UUID). */
export async function countConverted(
  db: Db,
  projectId: string,
  campaignIds: readonly string[],
  outcome: ConversionCriteria,
): Promise<Map<string, number>> {
  const found = await countOutcomes<{ variantId: string }>(
    db,
    projectId,
    {
      columns: ["variant_id"],
      select: (chosen) => sql`
        select lane, user_key, variant_id, exposed_at as at from ${t.deliveries}
        where ${exposedOf(projectId, campaignIds, outcome)} and ${chosen}`,
    },
    outcome,
  );
  const byVariant = new Map<string, number>();
  for (const { variantId, converted } of found)
    byVariant.set(variantId, (byVariant.get(variantId) ?? 0) + converted);
  return byVariant;
}

/**
 * The same users by the UTC day (days since 1970) on which they first had the outcome within the window, from the day `since` on. What
 * decides are the same instants as in `countOutcomes`: of deleted and of erased events, those that were kept for it.
 */
export async function countConvertedByDay(
  db: Db,
  projectId: string,
  campaignIds: readonly string[],
  outcome: ConversionCriteria & { since: number },
): Promise<{ day: number; users: number }[]> {
  const { event, evaluatedAt, attributionMs, since } = outcome;
  const from = since * DAY_MS;
  const isIn = (instant: string) =>
    sql`${sql.raw(instant)} between s.at and least(s.at + ${attributionMs}, ${evaluatedAt})`;
  /** SQL of the first hit in the counts under an alias. */
  const firstHit = (counts: string) => {
    const column = (name: string) => sql.ref(`${counts}.${name}`);
    return sql`case when ${isIn(`${counts}.first_at`)} then ${column("first_at")} else least(
          case when ${isIn(`${counts}.last_at`)} then ${column("last_at")} end,
          (select min(first) from unnest(${column("retired_firsts")}) first where ${isIn("first")}),
          (select min(e.ts) from ${t.events} e
            where e.lane = ${column("lane")} and e.user_key = ${column("user_key")} and e.name = ${event} and ${isIn("e.ts")})
        ) end`;
  };
  const beside = { projectId, event, hits: (counts: string) => sql`${firstHit(counts)} is not null` };
  const { rows } = await sql<{ day: number; users: number }>`
    with s as (
      select lane, user_key, exposed_at as at from ${t.deliveries}
      where ${exposedOf(projectId, campaignIds, outcome)} and exposed_at >= ${from - attributionMs}
    ),
    hits as (
      select ${firstHit("c")} as hit
      from s join ${t.eventCounts} c
        on c.lane = s.lane and c.user_key = s.user_key and c.name = ${event} and c.project_id = ${projectId}
      where c.last_at >= s.at and c.first_at <= least(s.at + ${attributionMs}, ${evaluatedAt})
      union all
      select least(
          case when ${isIn("f.last_at")} then f.last_at end, (select min(at) from unnest(f.hits) at where ${isIn("at")})
        )
      from s join ${t.frozenEvents} f
        on f.lane = s.lane and f.user_key = s.user_key and f.name = ${event} and f.project_id = ${projectId}
      union all
      select (select min(${firstHit("c")}) from (${countsBeside("s", beside)}) c)
      from s where (s.lane, s.user_key) in (${sharingKeys(projectId)}) and ${isUndecided("s", beside)}
    )
    select (hit / ${DAY_MS})::int4 as day, count(*) as users from hits where hit >= ${from} group by 1`.execute(
    db,
  );
  return rows;
}

/** Messages of all campaigns that users met and that did not come back, by UTC day (days since 1970), from the day `since` on. */
export async function countReachedByDay(
  db: Db,
  projectId: string,
  { since, evaluatedAt }: { since: number; evaluatedAt: number },
): Promise<{ day: number; messages: number }[]> {
  const { rows } = await sql<{ day: number; messages: number }>`
    select (d.exposed_at / ${DAY_MS})::int4 as day, count(*) as messages
    from ${t.campaigns} c join ${t.deliveries} d on d.campaign_id = c.id
    where c.project_id = ${projectId} and d.exposed_at between ${since * DAY_MS} and ${evaluatedAt} and d.bounced_at is null
    group by 1`.execute(db);
  return rows;
}

/** What a campaign (UUID) counts as a conversion: the event of its goal. */
export type Counting = { campaignId: string; event: string; attributionDays: number };

/** The campaigns of a project that count conversions, all or those of `campaignIds` (UUIDs). */
export async function listCounting(
  db: Db,
  projectId: string,
  campaignIds: readonly string[] | null,
): Promise<Counting[]> {
  const rows = await db
    .selectFrom("campaigns as c")
    .innerJoin("goals as g", (join) =>
      join.onRef("g.id", "=", "c.goalId").onRef("g.projectId", "=", "c.projectId"),
    )
    .select(["c.id as campaignId", "g.targetEvent as event", "g.attributionDays"])
    .where("c.projectId", "=", projectId)
    .where("g.targetEvent", "is not", null)
    .$if(campaignIds !== null, (query) => query.where("c.id", "in", [...(campaignIds ?? [])]))
    .execute();
  return rows.flatMap(({ event, ...row }) => (event === null ? [] : [{ ...row, event }]));
}
