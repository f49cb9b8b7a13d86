import { type RawBuilder, sql } from "kysely";
import { apiId } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import type { Allocation } from "../../statistics/compare.pure.ts";
import { onFirstOccasion } from "../key-store.ts";
import { isDecidedBeside, sharingKeys } from "./left-store.ts";

/** Which event counts, at or before `evaluatedAt` and within `attributionMs` after the start. Instants are epoch milliseconds. */
export type ConversionCriteria = { event: string; evaluatedAt: number; attributionMs: number };

/**
 * Users by what they are grouped by, and by the UTC day (days since 1970) on which their attribution window ended; null where it has not
 * ended yet. `recent`: how many of them started within the last seven full days.
 */
export type CountedUsers<Group> = Group & {
  day: number | null;
  exposed: number;
  converted: number;
  recent: number;
};

/**
 * The users to count: SQL that selects `lane`, `user_key`, the instant `at` at which their window starts, and the columns of the group.
 * `chosen` is a condition on `lane` and `user_key`, which narrows all of them down.
 */
export type Starts = { columns: readonly string[]; select(chosen: RawBuilder<unknown>): RawBuilder<unknown> };

const COUNTS: ReadonlySet<string> = new Set(["exposed", "converted", "recent", "unsure"]);
const DAYS_OF_A_WEEK = 7;

/**
 * Counts users and their conversions in one pass. `event_counts` has the first and the last time of each event, which decides for most
 * users. Where the first is before the window and the last after it, the single events are asked, in a statement of their own: a lookup
 * for each row would keep the large one from running in parallel. Of erased users, `frozen_events` has the instants that decide; for what
 * visitors left who became users, the users' counts do, and of visitors whose events are being moved, both.
 * `db` has to read at one instant.
 */
export async function countOutcomes<Group>(
  db: Db,
  projectId: string,
  starts: Starts,
  { event, evaluatedAt, attributionMs }: ConversionCriteria,
): Promise<CountedUsers<Group>[]> {
  const until = sql`least(s.at + ${attributionMs}, ${evaluatedAt})`;
  const isIn = (instant: string) => sql`${sql.raw(instant)} between s.at and ${until}`;
  const columns = sql.raw(starts.columns.map((column) => `s.${column}`).join(", "));
  const day = sql`case when s.at <= ${evaluatedAt - attributionMs} then (s.at + ${attributionMs}) / ${DAY_MS} end`;
  const counts = sql`
    join ${t.eventCounts} c on c.lane = s.lane and c.user_key = s.user_key and c.name = ${event} and c.project_id = ${projectId}`;
  const today = evaluatedAt - (evaluatedAt % DAY_MS);
  type Row = CountedUsers<Group> & { unsure: number };
  const { rows } = await sql<Row>`
    select ${columns}, ${day} as day, count(*) as exposed,
      count(*) filter (where ${isIn("c.first_at")} or ${isIn("c.last_at")}) as converted,
      count(*) filter (where c.first_at < s.at and c.last_at > ${until}) as unsure,
      count(*) filter (where s.at >= ${today - DAYS_OF_A_WEEK * DAY_MS} and s.at < ${today}) as recent
    from (${starts.select(sql`true`)}) s left ${counts}
    group by ${columns}, day`.execute(db);
  // What is left of a row without its counts is what it was grouped by, in the order of the columns.
  const keyOf = (row: object): string =>
    JSON.stringify(Object.entries(row).filter(([name]) => !COUNTS.has(name)));
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const add = (found: readonly CountedUsers<Group>[]): void => {
    for (const each of found) {
      const row = byKey.get(keyOf(each));
      if (row !== undefined) row.converted += each.converted;
    }
  };
  if (rows.some(({ unsure }) => unsure > 0)) {
    // Of events that were deleted for their age, the instants that decide are kept beside the counts.
    const { rows: found } = await sql<CountedUsers<Group>>`
      select ${columns}, ${day} as day, count(*) as converted
      from (${starts.select(sql`true`)}) s ${counts}
      where c.first_at < s.at and c.last_at > ${until}
        -- Follows from the line above, and leaves few users before they are joined.
        and (c.last_at - c.first_at > ${attributionMs} or c.last_at > ${evaluatedAt}) and (
        exists (select from unnest(c.retired_firsts) first where ${isIn("first")}) or exists (
          select from ${t.events} e
          where e.lane = s.lane and e.user_key = s.user_key and e.name = ${event} and ${isIn("e.ts")}
        )
      )
      group by ${columns}, day`.execute(db);
    add(found);
  }
  const frozen = sql`select f.lane, f.user_key from ${t.frozenEvents} f where f.project_id = ${projectId} and f.name = ${event}`;
  const { rows: erased } = await sql<CountedUsers<Group>>`
    select ${columns}, ${day} as day, count(*) as converted
    from (${starts.select(sql`(lane, user_key) in (${frozen})`)}) s
    join ${t.frozenEvents} f on f.lane = s.lane and f.user_key = s.user_key and f.name = ${event} and f.project_id = ${projectId}
    where ${isIn("f.last_at")} or exists (select from unnest(f.hits) hit where ${isIn("hit")})
    group by ${columns}, day`.execute(db);
  add(erased);
  const hits = (counts: string) => {
    const inCounts = (column: string) => `${counts}.${column}`;
    return sql`(
      ${isIn(inCounts("first_at"))} or ${isIn(inCounts("last_at"))}
      or exists (select from unnest(${sql.ref(inCounts("retired_firsts"))}) first where ${isIn("first")})
      or (${sql.ref(inCounts("first_at"))} < s.at and ${sql.ref(inCounts("last_at"))} > ${until} and exists (
        select from ${t.events} e
        where e.lane = ${sql.ref(inCounts("lane"))} and e.user_key = ${sql.ref(inCounts("user_key"))} and e.name = ${event} and ${isIn("e.ts")}
      ))
    )`;
  };
  const { rows: shared } = await sql<CountedUsers<Group>>`
    select ${columns}, ${day} as day, count(*) as converted
    from (${starts.select(sql`(lane, user_key) in (${sharingKeys(projectId)})`)}) s
    where ${isDecidedBeside("s", { projectId, event, hits })}
    group by ${columns}, day`.execute(db);
  add(shared);
  return rows;
}

/** SQL condition of `deliveries`: a user counts once, by the first delivery of a campaign. */
const isFirst = onFirstOccasion(t.deliveries);

/** Exposed users of a campaign by variant and epoch; with `exposedAfter` (epoch ms), those who were exposed after that instant. */
export async function countExposed(
  db: Db,
  projectId: string,
  campaignId: string,
  outcome: ConversionCriteria,
  exposedAfter: number | null = null,
): Promise<CountedUsers<{ variantId: string; epoch: number }>[]> {
  const isLater = exposedAfter === null ? sql`true` : sql`exposed_at > ${exposedAfter}`;
  const rows = await countOutcomes<{ variantId: string; epoch: number }>(
    db,
    projectId,
    {
      columns: ["variant_id", "epoch"],
      select: (chosen) => sql`
        select lane, user_key, variant_id, epoch, exposed_at as at from ${t.deliveries}
        where project_id = ${projectId} and campaign_id = ${campaignId} and exposed_at <= ${outcome.evaluatedAt} and ${isLater}
          and ${isFirst} and ${chosen}`,
    },
    outcome,
  );
  return rows.map((row) => ({ ...row, variantId: apiId("var", row.variantId) }));
}

/** Exposed users of a campaign by variant and epoch, whatever they did then. */
export async function countSplit(
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<{ variantId: string; epoch: number; exposed: number; converted: number }[]> {
  const { rows } = await sql<{ variantId: string; epoch: number; exposed: number }>`
    select variant_id as "variantId", epoch, count(*) as exposed from ${t.deliveries}
    where project_id = ${projectId} and campaign_id = ${campaignId} and exposed_at is not null and ${isFirst}
    group by variant_id, epoch`.execute(db);
  return rows.map((row) => ({ ...row, variantId: apiId("var", row.variantId), converted: 0 }));
}

/** Running campaigns (UUIDs) that split their users between variants, the one that was started last first. */
export async function listSplitting(
  db: Db,
  projectId: string,
  limit: number,
): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select c.id, c.name from ${t.campaigns} c
    where c.project_id = ${projectId} and c.status = 'running'
      and (select count(*) from ${t.variants} v where v.campaign_id = c.id and v.project_id = c.project_id) > 1
    order by c.started_at desc, c.id limit ${limit}`.execute(db);
  return rows;
}

/** What each variant of a campaign had in each of its epochs. */
export async function readAllocations(db: Db, projectId: string, campaignId: string): Promise<Allocation[]> {
  const rows = await db
    .selectFrom("allocations")
    .select(["epoch", "variantId", "weight", "contentDigest", "startedAt"])
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .execute();
  return rows.map((row) => ({ ...row, variantId: apiId("var", row.variantId) }));
}

/** The contents that variants of a campaign had and have, by the digest of each. Contents of before they were kept are missing. */
export async function readContents(
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<{ variantId: string; contentDigest: string; content: unknown }[]> {
  const rows = await db
    .selectFrom("allocations")
    .select(["variantId", "contentDigest", "content"])
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("content", "is not", null)
    .execute();
  return rows.map((row) => ({ ...row, variantId: apiId("var", row.variantId) }));
}

/** Whether a delivery of a goal's campaigns was ever withheld. */
export async function hasWithheld(db: Db, projectId: string, goalId: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from ${t.allocations} a join ${t.withheldDeliveries} w on w.campaign_id = a.campaign_id and w.epoch = a.epoch
      where a.project_id = ${projectId} and a.goal_id = ${goalId} and a.holdout_percent > 0
    ) as has`.execute(db);
  return rows[0]?.has ?? false;
}

/**
 * The contact of a user with a goal, as one integer whose minimum over all contacts is the first one, so that an aggregate finds it
 * without sorting: the instant, then which campaign counts first, the share that was held out, and whether it was withheld.
 */
const INSTANT = 1_024;
const CAMPAIGN = 256;
const PERCENT = 2;

/**
 * CTEs that end with `decided`: the epochs of a goal's campaigns, each with the share that was held out. Epoch 0 has what its deliveries
 * are looked up in, since their weights are not known: the holdout does not depend on the variant, but on the instant. From `since[n]`
 * on it was `percents[n]`, null under another goal; before the first epoch of a campaign there was none.
 */
const decidedCtes = (projectId: string, goalId: string): RawBuilder<unknown> => sql`
  epochs as (
    select distinct campaign_id, epoch, goal_id, holdout_percent::int4 as percent, started_at
    from ${t.allocations} where project_id = ${projectId}
  ),
  periods as (
    select id as campaign_id, 0 as epoch, goal_id, 0 as percent, 0::int8 as since from ${t.campaigns} where project_id = ${projectId}
    union all select campaign_id, epoch, goal_id, percent, started_at from epochs
  ),
  decided as (
    select campaign_id, epoch, percent, null::int8[] as since, null::int4[] as percents from epochs where goal_id = ${goalId}
    union all
    select campaign_id, 0, null, array_agg(since order by since, epoch),
      array_agg(case when goal_id = ${goalId} then percent end order by since, epoch)
    from periods group by campaign_id having bool_or(goal_id = ${goalId})
  )`;

/**
 * Users whom a goal reached, or withheld a message from, each once, by their first contact under it: a later message may be the work of
 * an earlier one. With `campaignId`, only those whose first contact was that campaign.
 */
export async function countContacts(
  db: Db,
  projectId: string,
  { goalId, campaignId }: { goalId: string; campaignId: string | null },
  outcome: ConversionCriteria,
): Promise<CountedUsers<{ side: "served" | "withheld"; percent: number }>[]> {
  // Of contacts at the same instant, that of the campaign with the least id counts: 0 for those before the one asked for, 2 after it.
  const order =
    campaignId === null
      ? sql`1`
      : sql`case when e.campaign_id < ${campaignId} then 0 when e.campaign_id = ${campaignId} then 1 else 2 end`;
  const percentAt = (at: string) =>
    sqlText(`case when e.since is null then e.percent else e.percents[width_bucket(${at}, e.since)] end`);
  const contacts = (
    table: SqlText,
    at: string,
    withheld: number,
    chosen: RawBuilder<unknown>,
    unit = "coalesce(t.decided_as, t.user_key)",
  ) => sql`
    select lane, user_key, ${sql.raw(unit)} as unit,
      ${sql.raw(at)} * ${INSTANT} + ${order} * ${CAMPAIGN} + ${percentAt(at)} * ${PERCENT} + ${withheld} as contact
    from decided e join ${table} t on t.campaign_id = e.campaign_id and t.epoch = e.epoch
    where t.project_id = ${projectId} and ${sql.raw(at)} <= ${outcome.evaluatedAt} and ${chosen}`;
  // A user is held out on the first occasion or never: one who had that before the goal held users out is on neither side.
  const decidedNow = (chosen: RawBuilder<unknown>) => sql`${onFirstOccasion("t")} and ${chosen}`;
  return countOutcomes<{ side: "served" | "withheld"; percent: number }>(
    db,
    projectId,
    {
      columns: ["side", "percent"],
      select: (chosen) => sql`
        with ${decidedCtes(projectId, goalId)}
        select lane, user_key, first / ${INSTANT} as at, (first % ${CAMPAIGN} / ${PERCENT})::int as percent,
          case first % ${PERCENT} when 1 then 'withheld' else 'served' end as side
        from (
          -- A visitor whom the goal had met before they became a user whom it had met as well stays a unit of its own.
          select lane, user_key, unit, min(contact) as first from (
            ${contacts(t.deliveries, "queued_at", 0, decidedNow(chosen))}
            union all ${contacts(t.withheldDeliveries, "withheld_at", 1, chosen)}
            union all ${contacts(t.unseenDeliveries, "queued_at", 0, chosen, "t.user_key")}
          ) each
          group by 1, 2, 3
        ) contacts
        where first % ${INSTANT} / ${CAMPAIGN} = 1`,
    },
    outcome,
  );
}
